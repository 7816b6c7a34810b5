#include "report/pages/pair_table.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "check/partners.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "rule/match.h"
#include "stack/case.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestHappening = 70;

bool orders_or_clashes(const Rule& rule) { return rule.kind == RuleKind::order || rule.kind == RuleKind::clash; }

// The two transforms that the page is about, as its bad stack names them; one name where both are the same.
std::set<std::string> pair_of(const Rule& rule) {
  std::set<std::string> names;
  const std::vector<Firing> fired = firings(rule, rule.witness.bad, job_of(rule.witness));
  if (fired.empty()) return names;
  names.insert(rule.witness.bad.items[fired.front().items.front()].name);
  names.insert(rule.witness.bad.items[fired.front().items.back()].name);
  return names;
}

// The exception's words without its type, or the first thing that differs.
std::string detail_of(const Observation& seen) {
  switch (seen.verdict) {
    case Verdict::fails:
      return fmt::format(" in {}: {}", seen.phase ? name_of(*seen.phase) : "some phase",
                         code(shortened(without_type(seen.message), kLongestHappening)));
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

bool keeps_a_part(Shown shown, const Observation& seen) {
  const std::vector<Effect> lost = lost_effects(seen.effects);
  return shown == Shown::without_effect && !lost.empty() && lost.front().partly;
}

std::string happens_in_words(Shown shown, const Observation& seen) {
  return keeps_a_part(shown, seen)
             ? "silently with only a part of the effect of " + code(lost_effects(seen.effects).front().transform)
             : in_words(shown);
}

std::string cure_in_words(const Rule& rule) {
  std::string change = change_in_words(rule.witness.bad, rule.witness.good);
  if (!change.empty()) return change;
  const std::vector<Firing> fired = firings(rule, rule.witness.bad, job_of(rule.witness));
  if (fired.empty()) return "";
  const auto& items = rule.witness.bad.items;
  return fmt::format("{} before {}", code(items[fired.front().items.back()].name),
                     code(items[fired.front().items.front()].name));
}

// The page's good stack as it ran equal on the reader's version: where no run has it with the default trainer, with the one that a run
// has. A cure that the next page calls wrong under the trainer that a reader takes is none.
Stack as_it_ran_equal(const Stack& good, const Sources& sources, const std::vector<EngineRuns>& engines) {
  for (const EngineRuns& engine : engines) {
    if (engine.target != reader_target(sources)) continue;
    const Case asked = usual_case(good, Case{}.model, engine.table.engine);
    const Stack* trained = nullptr;
    for (const Outcome& run : engine.outcomes) {
      if (run.subject == asked) return good;
      const Case usual = usual_case(run.subject.stack, Case{}.model, engine.table.engine);
      if (trained == nullptr && run.seen.verdict == Verdict::equal && run.subject == usual &&
          is_trained_form_of(run.subject.stack, good))
        trained = &run.subject.stack;
    }
    if (trained != nullptr) return *trained;
  }
  return good;
}

struct Candidate {
  const Rule* rule;
  Shown shown;
  bool partly;  // of what is without effect: a part of it is there
};

// A harm that nobody sees is worse than one that stops the run.
int severity_of(const Candidate& c) {
  switch (c.shown) {
    case Shown::wrong: return 0;
    case Shown::without_effect: return c.partly ? 2 : 1;
    case Shown::fails: return 3;
    case Shown::slower: return 4;
    default: return 5;
  }
}

bool comes_first(const Candidate& one, const Candidate& other) {
  const auto key = [](const Candidate& c) {
    return std::tuple(severity_of(c), c.rule->witness.bad.items.size(), c.rule->kind, c.rule->id);
  };
  return key(one) < key(other);
}

PairTableRow row_of(const std::vector<Candidate>& pages, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Rule& rule = *pages.front().rule;
  PairTableRow row{.shown = pages.front().shown,
                   .good = print(as_it_ran_equal(rule.witness.good, sources, engines)),
                   .bad = print(rule.witness.bad),
                   .happens = in_words(pages.front().shown),
                   .since = since_in_words(rule, reader_target(sources)),
                   .basis = name_of(rule.basis),
                   .cure = cure_in_words(rule),
                   .page = link_to(rule, "rules/"),
                   .others = ""};
  if (const Outcome* outcome = reader_run(rule.witness.bad, sources, engines))
    row.happens = happens_in_words(pages.front().shown, outcome->seen) + detail_of(outcome->seen);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < pages.size(); ++i) others.push_back(pages[i].rule->id);
  row.others = join(others, ", ");
  return row;
}

}  // namespace

std::vector<PairTableRow> pair_table(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Target target = reader_target(sources);
  std::map<std::set<std::string>, std::vector<Candidate>> pairs;
  for (const Rule& rule : sources.rules) {
    if (!(orders_or_clashes(rule) || rule.kind == RuleKind::effect) || !holds_for(rule, target)) continue;
    const Shown shown = shown_by(rule.witness.bad, sources, engines);
    const std::set<std::string> pair = pair_of(rule);
    if (pair.size() != 2 || shown == Shown::equal || shown == Shown::not_run) continue;
    const Outcome* outcome = reader_run(rule.witness.bad, sources, engines);
    pairs[pair].push_back({&rule, shown, outcome != nullptr && keeps_a_part(shown, outcome->seen)});
  }
  std::vector<std::vector<Candidate>> sorted;
  for (auto& [names, pages] : pairs) {
    std::ranges::sort(pages, comes_first);
    sorted.push_back(pages);
  }
  std::ranges::sort(sorted, [](const auto& one, const auto& other) { return comes_first(one.front(), other.front()); });
  std::vector<PairTableRow> rows;
  for (const std::vector<Candidate>& pages : sorted) rows.push_back(row_of(pages, sources, engines));
  return rows;
}

PageCount count_pages(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Target target = reader_target(sources);
  PageCount count;
  for (const Rule& rule : sources.rules) {
    if (!orders_or_clashes(rule) || !holds_for(rule, target)) continue;
    const Shown shown = shown_by(rule.witness.bad, sources, engines);
    if (shown == Shown::not_run) {
      ++count.not_run;
      continue;
    }
    ++count.run;
    if (rule.basis == Basis::fundamental)
      count.fundamental.push_back(fmt::format("{}: {}", link_to(rule, "rules/"), reason_of(rule)));
    switch (shown) {
      case Shown::fails: ++count.fails; break;
      case Shown::wrong: ++count.wrong; break;
      case Shown::without_effect: ++count.without_effect; break;
      case Shown::slower: ++count.slower; break;
      default: ++count.equal; break;
    }
  }
  return count;
}

}  // namespace ordercheck
