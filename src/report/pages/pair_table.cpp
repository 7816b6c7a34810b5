#include "report/pages/pair_table.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/order_view.h"
#include "report/pages/rule_view.h"
#include "rules/check.h"
#include "rules/match.h"
#include "stack/case.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestHappening = 70;

bool orders_or_clashes(const Rule& rule) { return rule.kind == RuleKind::order || rule.kind == RuleKind::clash; }

// The phase of a failure (its message is in the symptom table), else the first thing that differs or is missing.
std::string detail_of(const Observation& seen) {
  switch (seen.verdict) {
    case Verdict::fails: return seen.phase ? fmt::format(" in {}", name_of(*seen.phase)) : "";
    case Verdict::differs: {
      if (!seen.difference) return ": " + shortened(seen.message, kLongestHappening);
      const Difference& d = *seen.difference;
      const std::string rank = d.rank >= 0 ? fmt::format(" on rank {}", d.rank) : "";
      return fmt::format(": {} differs", shortened(fmt::format("{} of step {}{}", d.what, d.step, rank), kLongestHappening));
    }
    case Verdict::ignored: return ": " + shortened(what_is_missing(seen), kLongestHappening);
    default: return "";
  }
}

// The result of a page's stack on the reader's version.
struct PageRun {
  const Rule* rule;
  const Outcome* run;
  Shown shown;
};

// A silent harm is worse than one that stops the run.
int severity_of(const PageRun& page) {
  switch (page.shown) {
    case Shown::wrong: return 0;
    case Shown::without_effect: return keeps_a_part(page.shown, page.run->seen) ? 2 : 1;
    case Shown::fails: return 3;
    case Shown::slower: return 4;
    default: return 5;
  }
}

bool comes_first(const PageRun& one, const PageRun& other) {
  const auto key = [](const PageRun& page) {
    return std::tuple(severity_of(page), page.run->subject.stack.items.size(), page.rule->kind, page.rule->id);
  };
  return key(one) < key(other);
}

bool is_harm(Shown shown) { return shown != Shown::equal && shown != Shown::not_run; }

// The page's bad stack with its two transforms in the other order; nullopt if the page does not fire on that.
std::optional<Stack> turned(const Rule& rule) {
  const std::vector<Firing> fired = firings(rule, rule.witness.bad, job_of(rule.witness));
  if (rule.kind != RuleKind::clash || fired.empty()) return std::nullopt;
  Stack stack = rule.witness.bad;
  std::swap(stack.items[fired.front().front()], stack.items[fired.front().back()]);
  if (stack == rule.witness.bad || firings(rule, stack, job_of(rule.witness)).empty()) return std::nullopt;
  return stack;
}

// The results of every order and clash page that holds for the reader's version: its bad stack's. For a clash it adds the
// opposite order if that shows another harm. `run` is null and `shown` is not_run if there is no run.
std::vector<PageRun> page_runs(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Target target = reader_target(sources);
  const auto run_of = [&](const Rule& rule, const Stack& stack) {
    const Outcome* run = reader_run(stack, sources, engines);
    return PageRun{.rule = &rule, .run = run, .shown = run == nullptr ? Shown::not_run : shown_by(*run, sources, target)};
  };
  std::vector<PageRun> runs;
  for (const Rule& rule : sources.rules) {
    if (!orders_or_clashes(rule) || !holds_for(rule, target)) continue;
    runs.push_back(run_of(rule, rule.witness.bad));
    const Shown straight = runs.back().shown;
    const std::optional<Stack> other = turned(rule);
    if (!other) continue;
    const PageRun of_other = run_of(rule, *other);
    if (is_harm(of_other.shown) && of_other.shown != straight) runs.push_back(of_other);
  }
  return runs;
}

// The stack, if it ran equal on the reader's version.
std::optional<Stack> ran_equal(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  for (const EngineRuns& engine : engines) {
    if (engine.target != reader_target(sources)) continue;
    const auto is_equal = [&](const Outcome& run) {
      return run.seen.verdict == Verdict::equal &&
             run.subject == usual_case(run.subject.stack, Case{}.model, engine.table.engine);
    };
    for (const Outcome& run : engine.outcomes)
      if (is_equal(run) && with_trainer(run.subject.stack) == with_trainer(stack)) return stack;
  }
  return std::nullopt;
}

// The replacement: the page's good stack, else the first suggestion of `check` that ran equal. An unrun good stack counts; one
// that did not run equal does not. nullopt if none remains.
std::optional<Stack> build_instead_of(const PageRun& page, const Judge& judge, const Sources& sources,
                                      const std::vector<EngineRuns>& engines) {
  const Stack& good = page.rule->witness.good;
  if (auto stack = ran_equal(good, sources, engines)) return stack;
  if (reader_run(good, sources, engines) == nullptr) return good;
  const Report report = check(page.run->subject.stack, judge);
  std::vector<Stack> tries;
  for (const Finding& finding : report.findings)
    if (finding.rule == page.rule->id)
      for (const Try& one : finding.tries) tries.push_back(one.stack);
  if (report.repaired) tries.push_back(*report.repaired);
  for (const Stack& one : tries)
    if (auto stack = ran_equal(one, sources, engines)) return stack;
  return std::nullopt;
}

PairTableRow row_of(const PageRun& page, const Judge& judge, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const std::optional<Stack> good = build_instead_of(page, judge, sources, engines);
  return {
      {"shown", name_of(page.shown)},
      {"good", good ? print(*good) : ""},
      {"good_ran", good && ran_equal(*good, sources, engines)},
      {"bad", print(page.run->subject.stack)},
      {"clips", clips(page.run->subject.stack)},
      {"between", std::ranges::any_of(page.run->subject.stack.items, [](const Item& item) { return info_of(item).between; })},
      {"happens", happened_in_words(page.shown, page.run->seen) + detail_of(page.run->seen)},
      {"since", since_in_words(*page.rule, reader_target(sources), sources.observations)},
      {"basis", name_of(page.rule->basis)},
      {"page", link_to(*page.rule)}};
}

}  // namespace

PairTable pair_table(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<PageRun> runs = page_runs(sources, engines);
  PairTable table;
  std::set<std::string> run;
  for (const PageRun& page : runs) {
    if (page.shown == Shown::not_run) ++table.not_run;
    if (page.shown == Shown::equal) ++table.equal;
    if (page.shown == Shown::not_run || !run.insert(page.rule->id).second) continue;
    if (page.rule->basis == Basis::fundamental) table.fundamental.push_back(link_to(*page.rule));
  }
  table.run = static_cast<int>(run.size());
  std::erase_if(runs, [](const PageRun& page) { return !is_harm(page.shown); });
  std::ranges::sort(runs, comes_first);
  const Judge judge(sources.rules, reader_target(sources), sources.observations);
  for (const PageRun& page : runs) table.rows.push_back(row_of(page, judge, sources, engines));
  return table;
}

std::size_t count_of(const PairTable& table, Shown shown) {
  return static_cast<std::size_t>(
      std::ranges::count_if(table.rows, [&](const PairTableRow& row) { return row["shown"] == name_of(shown); }));
}

namespace {

bool was_run(const PairRow& row) {
  return std::ranges::any_of(row.cells, [](Shown shown) { return shown != Shown::not_run; });
}

}  // namespace

PairMatrix pair_matrix(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const std::vector<std::string> known = known_transforms(sources.rules);
  const auto row_of = [&](const std::string& first, const std::vector<std::string>& names) {
    PairRow row{.name = first, .cells = {}};
    for (const std::string& second : names)
      row.cells.push_back(first == second ? Shown::not_run : shown_by_pair(first, second, sources, engines));
    return row;
  };
  PairMatrix matrix;
  for (const std::string& name : known) {
    const bool second = std::ranges::any_of(known, [&](const std::string& first) {
      return first != name && shown_by_pair(first, name, sources, engines) != Shown::not_run;
    });
    (second || was_run(row_of(name, known)) ? matrix.names : matrix.never_run).push_back(name);
  }
  for (const std::string& first : matrix.names) matrix.rows.push_back(row_of(first, matrix.names));
  return matrix;
}

}  // namespace ordercheck
