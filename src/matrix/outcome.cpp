#include "matrix/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "parity/counters.h"
#include "rule/counters.h"

namespace ordercheck {
namespace {

bool is_harm(Verdict verdict) {
  return verdict == Verdict::differs || verdict == Verdict::fails || verdict == Verdict::hangs ||
         verdict == Verdict::ignored;
}

// What the run showed that the page pins otherwise; "" where the pinned details are there.
std::string foreign(const Expectation& expected, const Record& record) {
  if (!record.failure) return "";
  const Failure& seen = *record.failure;
  if (expected.phase && *expected.phase != seen.phase)
    return fmt::format("the page says in {}, seen in {}", name_of(*expected.phase), name_of(seen.phase));
  if (!expected.message.empty() && seen.message.find(expected.message) == std::string::npos)
    return fmt::format("the page says \"{}\", seen \"{}\"", expected.message, seen.message);
  if (!expected.operation.empty() && expected.operation != seen.operation)
    return fmt::format("the page says in {}, seen in {}", expected.operation, seen.operation);
  if (!expected.group.empty() && expected.group != seen.group)
    return fmt::format("the page says on {}, seen on {}", expected.group, seen.group);
  return "";
}

void contradict(Outcome& outcome, std::string what) {
  outcome.agreement = Agreement::contradiction;
  outcome.disagreement = std::move(what);
  outcome.open_because.clear();
  for (const Expectation& departure : outcome.prediction.departures)
    if (departure.verdict == outcome.judgement.verdict && foreign(departure, outcome.record).empty())
      outcome.explanation = departure.because;
}

// The outcome of a stack with the settings that a witness runs with.
Outcome* find_outcome(std::vector<Outcome>& outcomes, const Stack& stack, const std::string& model) {
  const auto found = std::ranges::find_if(outcomes, [&](const Outcome& o) {
    return o.planned.subject.stack == stack && o.planned.subject.model == model && o.planned.subject.apply.empty() &&
           o.planned.subject.settings == usual_settings(stack);
  });
  return found == outcomes.end() ? nullptr : &*found;
}

bool moved(Move move, std::int64_t bad, std::int64_t good) {
  switch (move) {
    case Move::more: return bad > good;
    case Move::less: return bad < good;
    case Move::same: return bad == good;
    case Move::none: return true;
  }
  assert(false && "every move is known");
  return false;
}

CounterValues counters_of(const Outcome& outcome) {
  return counter_values(outcome.record.counters, outcome.record.collectives);
}

// What a page claims of a counter is not decided by runs that did not measure it: they confirm nothing.
void leave_open(Outcome& outcome, const Rule& rule, const std::string& counter) {
  if (outcome.agreement != Agreement::confirmed) return;
  outcome.agreement = Agreement::open;
  outcome.open_because = fmt::format("{}: {}", rule.id, not_measured_by(outcome.planned.subject.engine, counter));
}

void hold_commuting(Outcome& one, const Outcome& other, const Rule& rule) {
  if (one.judgement.verdict != other.judgement.verdict) {
    contradict(one, fmt::format("{} says that the orders commute; one is {}, the other {}", rule.id,
                                name_of(one.judgement.verdict), name_of(other.judgement.verdict)));
    return;
  }
  if (one.record.ending != Ending::completed) return;
  const CounterValues here = counters_of(one), there = counters_of(other);
  const CountersHeld held = hold_counters(here, there);
  if (!held.apart.empty())
    contradict(one, fmt::format("{} says that the orders commute; {} is {} and {}", rule.id, held.apart,
                                value_in(here, held.apart), value_in(there, held.apart)));
  else if (!held.unmeasured.empty())
    leave_open(one, rule, held.unmeasured);
}

void hold_moved(Outcome& bad, const Outcome& good, const Expectation& expected, const Rule& rule) {
  if (bad.record.ending != Ending::completed || good.record.ending != Ending::completed) return;
  const std::int64_t in_bad = value_in(counters_of(bad), expected.counter);
  const std::int64_t in_good = value_in(counters_of(good), expected.counter);
  if (!is_measured(in_bad) || !is_measured(in_good)) return leave_open(bad, rule, expected.counter);
  if (!moved(expected.move, in_bad, in_good))
    contradict(bad, fmt::format("{} says {} {}; it is {}, and {} in the good order", rule.id, name_of(expected.move),
                                expected.counter, in_bad, in_good));
}

}  // namespace

void hold_against_rules(Outcome& outcome) {
  outcome.open_because.clear();
  const Verdict seen = outcome.judgement.verdict;
  const Prediction& predicted = outcome.prediction;
  if (seen == Verdict::unrun || seen == Verdict::unstable) {
    outcome.agreement = Agreement::undecided;
    return;
  }
  if (!predicted.verdict) {
    outcome.agreement = Agreement::open;
    if (is_harm(seen))
      contradict(outcome, fmt::format("no rule predicts it for this engine and version; it {}", name_of(seen)));
    return;
  }
  // Rules speak about numbers that are owed; without the grid a layout owes none.
  if (seen == Verdict::differs && outcome.planned.subject.settings.arithmetic == Arithmetic::plain) {
    outcome.agreement = Agreement::open;
    return;
  }
  const std::string who = predicted.rule.empty() ? "no rule fires, so equal is predicted"
                                                 : fmt::format("{} predicts {}", predicted.rule, name_of(*predicted.verdict));
  // Rules say equal; what native arithmetic can show of it is close.
  const bool borne_out = seen == *predicted.verdict || (*predicted.verdict == Verdict::equal && shows_parity(seen));
  if (!borne_out) return contradict(outcome, fmt::format("{}; seen: {}", who, name_of(seen)));
  outcome.agreement = Agreement::confirmed;
  if (!predicted.expectation || predicted.expectation->verdict != seen) return;
  if (auto other = foreign(*predicted.expectation, outcome.record); !other.empty())
    contradict(outcome, fmt::format("{}; {}", who, other));
}

void hold_pairs_against_rules(std::vector<Outcome>& outcomes, const std::vector<Rule>& rules, const Target& target) {
  for (const Rule& rule : rules) {
    if (!holds_for(rule, target)) continue;
    Outcome* bad = find_outcome(outcomes, rule.witness.bad, rule.witness.model);
    const Outcome* good = find_outcome(outcomes, rule.witness.good, rule.witness.model);
    if (!bad || !good || bad->agreement == Agreement::undecided || good->agreement == Agreement::undecided) continue;
    if (rule.kind == RuleKind::commutes) {
      hold_commuting(*bad, *good, rule);
      continue;
    }
    const Expectation* expected =
        target.version ? expectation_for(rule, target.project, *target.version) : nullptr;
    if (expected && expected->move != Move::none) hold_moved(*bad, *good, *expected, rule);
  }
}

Target target_of(const Hello& hello) {
  Target target{.project = hello.engine, .implementation = "", .version = std::nullopt};
  if (auto version = parse_version(version_of(hello.versions))) target.version = *version;
  return target;
}

EvidenceTable head_of(const Hello& hello, Arithmetic arithmetic) {
  return {.engine = hello.engine,
          .versions = hello.versions,
          .device = hello.devices.empty() ? "" : hello.devices.front(),
          .arithmetic = name_of(arithmetic)};
}

EvidenceTable evidence_of(const MatrixResult& result) {
  const Arithmetic arithmetic =
      result.outcomes.empty() ? Arithmetic::exact : result.outcomes.front().planned.subject.settings.arithmetic;
  EvidenceTable table = head_of(result.hello, arithmetic);
  table.controls = result.controls;
  for (const Outcome& outcome : result.outcomes)
    table.rows.push_back(evidence_row(print(outcome.planned.subject), outcome.record, outcome.judgement));
  std::ranges::sort(table.rows, {}, &EvidenceRow::case_text);
  return table;
}

const char* name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::confirmed: return "confirmed";
    case Agreement::contradiction: return "contradiction";
    case Agreement::open: return "open";
    case Agreement::undecided: return "undecided";
  }
  assert(false && "every agreement has a name");
  return "";
}

}  // namespace ordercheck
