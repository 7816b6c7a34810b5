// ordercheck suggest TRANSFORMS: recommends an order and explains it.
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/import_view.h"
#include "cli/shared/question.h"
#include "rules/job.h"
#include "rules/orders.h"
#include "rules/repair.h"
#include "rules/run_support.h"
#include "rules/smallest_conflict.h"
#include "rules/target_runs.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck::cli {
namespace {

constexpr std::size_t kBuffered = 1 << 16;

// Why the stack is wrong: ids of its error findings; "a run" if it has none, but a committed run of it on the target went
// wrong.
std::vector<std::string> against(const Stack& stack, const Judge& judge) {
  std::vector<std::string> ids;
  StackMatch match = judge.match(stack);
  for (const std::size_t page : judge.errors(match))
    for (const Firing& firing : match.firings(page))
      if (!is_answered(judge.rules()[page], firing, stack, judge)) {
        ids.push_back(judge.rules()[page].id);
        break;
      }
  if (!ids.empty()) return ids;
  const std::optional<StackRun> run = run_of(stack, judge, model_of(stack, Case{}.model));
  if (run && is_run_of(run->stack, stack) && is_harm(run->run->verdict)) ids.emplace_back("a run");
  return ids;
}

// Prints each order as soon as it is found, one per line: there may be millions.
class OrderPrinter {
 public:
  OrderPrinter(const Stack& items, const Judge& judge) : items_(items), judge_(judge) {
    for (const Item& item : items.items) texts_.push_back(print(item));
  }

  // Returns false if stdout is closed.
  bool add(std::span<const std::uint8_t> order) {
    Stack stack;
    for (const std::uint8_t item : order) stack.items.push_back(items_.items[item]);
    if (const std::vector<std::string> ids = against(stack, judge_); !ids.empty()) {
      blockers_.insert(ids.begin(), ids.end());
      return true;
    }
    for (const std::uint8_t item : order) {
      lines_ += texts_[item];
      lines_ += ',';
    }
    lines_.back() = '\n';
    ++printed_;
    return lines_.size() < kBuffered || write();
  }

  bool write() {
    const bool written = std::fwrite(lines_.data(), 1, lines_.size(), stdout) == lines_.size();
    lines_.clear();
    return written;
  }

  std::size_t printed() const { return printed_; }
  const std::set<std::string>& blockers() const { return blockers_; }

 private:
  const Stack& items_;
  const Judge& judge_;
  std::vector<std::string> texts_;
  std::string lines_;
  std::size_t printed_ = 0;
  std::set<std::string> blockers_;
};

// Ids of the error rules that fire on these items in every order; empty if an order of them has a run `equal`.
std::set<std::string> against_every_order(const Stack& stack, const Judge& judge) {
  std::set<std::string> ids;
  if (order_that_ran_equal(stack, judge)) return ids;
  StackMatch match = judge.match(stack);
  for (const std::size_t page : judge.errors(match))
    if (const Rule& rule = judge.rules()[page]; rule.kind != RuleKind::order && rule.unless.any_of.empty()) ids.insert(rule.id);
  return ids;
}

int say_blocked(const Stack& items, const Judge& judge, const std::set<std::string>& ids) {
  fmt::print(stderr, "ordercheck suggest: every order of these is blocked on {}, by {}\n", print(judge.target()),
             join(std::vector<std::string>(ids.begin(), ids.end()), ", "));
  if (const auto cured = repaired(recommended_order(items, judge), judge)) fmt::print(stderr, "Repaired: {}\n", print(*cured));
  return kDecidedAgainst;
}

int print_all(const Stack& items, const OrderWalk& walk, const Judge& judge) {
  if (const auto ids = against_every_order(items, judge); !ids.empty()) return say_blocked(items, judge, ids);
  OrderPrinter printer(items, judge);
  const bool all = walk.each([&](std::span<const std::uint8_t> order) { return printer.add(order); });
  if (all && printer.printed() == 0) return say_blocked(items, judge, printer.blockers());
  return all && printer.write() ? kNothingAgainst : kUndecided;
}

Result<int> suggest_all(const CheckInput& asked, const Judge& judge) {
  const OrderWalk walk(asked.stack, judge);
  if (walk.is_possible()) return print_all(asked.stack, walk, judge);
  if (asked.stack.items.size() > OrderWalk::kMostItems)
    return Error{
        fmt::format("{} transforms: orders of at most {} can be listed", asked.stack.items.size(), OrderWalk::kMostItems)};
  const std::optional<Conflict> conflict = smallest_conflict(asked.stack, judge);
  fmt::print(stderr, "ordercheck suggest: no order of these keeps all of {}\n", join(conflict->rules, ", "));
  return kDecidedAgainst;
}

Result<int> run_suggest(const Question& question, bool all) {
  const auto asked = read_question(question);
  if (!asked) return asked.error();
  if (asked->stack.items.empty()) return Error{"expected at least one transform, got none: ordercheck suggest fsdp=2,ac,tp=2"};
  const Judge judge(asked->knowledge.rules, asked->settled.target, asked->knowledge.observations, asked->job);
  if (all) return suggest_all(*asked, judge);
  Suggestion suggestion = suggest(asked->stack, judge);
  suggestion.report.target_assumed = asked->settled.assumed;
  suggestion.report.newest_run = asked->settled.newest_run;
  if (question.format == "json") {
    const std::string answer = render_json(suggestion, judge);
    fmt::print("{}", asked->imported ? with_imported(answer, *asked->imported) : answer);
  } else {
    fmt::print("{}", render_text(suggestion, judge, wants_colour()));
  }
  if (asked->imported && question.format == "text") fmt::print("{}", render_import_below(*asked->imported));
  return exit_code_of(suggestion.report, false);
}

}  // namespace

void add_suggest(CLI::App& app, int& exit_code) {
  auto question = std::make_shared<Question>();
  auto all = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("suggest", "Put transforms into the recommended order, with reasons");
  command->group(kAsk);
  add_question(*command, "transforms", "The transforms, in any order: fsdp=2,ac,tp=2; or a file that `import` reads",
               *question);
  command->add_flag("--all", *all, "List all legal orders, one per line; commuting neighbours are listed once")
      ->excludes("--format", "--json");
  show_examples(*command, {"suggest fsdp=4,compile,ac,tp=2", "suggest --all fsdp=4,compile,ac,tp=2"});
  command->callback([question, all, &exit_code] { exit_code = ended("suggest", run_suggest(*question, *all)); });
}

}  // namespace ordercheck::cli
