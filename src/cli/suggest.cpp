// ordercheck suggest TRANSFORMS: in which order to apply them, and why.
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "check/core.h"
#include "check/order_walk.h"
#include "check/suggestion.h"
#include "cli/command.h"
#include "cli/shared/import_view.h"
#include "cli/shared/question.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

constexpr std::size_t kBuffered = 1 << 16;

// One order a line, as they are found: there may be millions.
int print_all(const Stack& items, const OrderWalk& walk) {
  std::vector<std::string> texts;
  for (const Item& item : items.items) texts.push_back(print(item));
  std::string lines;
  const auto write = [&lines] {
    const bool written = std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size();
    lines.clear();
    return written;
  };
  const bool all = walk.each([&](std::span<const std::uint8_t> order) {
    for (const std::uint8_t item : order) {
      lines += texts[item];
      lines += ',';
    }
    lines.back() = '\n';
    return lines.size() < kBuffered || write();
  });
  return all && write() ? kNothingAgainst : kUndecided;
}

Result<int> suggest_all(const CheckInput& asked, const Judge& judge) {
  const OrderWalk walk(asked.stack, judge);
  if (walk.is_possible()) return print_all(asked.stack, walk);
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
  CLI::App* command = app.add_subcommand("suggest", "Put transforms into the order that the rules recommend, with reasons");
  command->group(kAsk);
  add_question(*command, "transforms", "The transforms, in any order: fsdp=2,ac,tp=2; or a file that `import` reads",
               *question);
  command->add_flag("--all", *all, "Every legal order, one a line; of those that may change places one alone")
      ->excludes("--format", "--json");
  show_examples(*command, {"suggest fsdp=4,compile,ac,tp=2", "suggest --all fsdp=4,compile,ac,tp=2"});
  command->callback([question, all, &exit_code] { exit_code = ended("suggest", run_suggest(*question, *all)); });
}

}  // namespace ordercheck::cli
