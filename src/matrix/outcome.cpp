#include "matrix/outcome.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "rule/bears_out.h"

namespace ordercheck {
namespace {

bool is_harm(Verdict verdict) {
  return verdict == Verdict::differs || verdict == Verdict::fails || verdict == Verdict::hangs || verdict == Verdict::ignored;
}

std::vector<std::string> lost_in(const Judgement& judgement) {
  std::vector<std::string> items;
  for (const Effect& effect : lost_effects(judgement.effects)) items.push_back(effect.transform);
  return items;
}

Observation observed(const Outcome& outcome) {
  const Record& record = outcome.record;
  Observation seen{.engine = outcome.planned.subject.engine,
                   .version = version_of(record.versions),
                   .case_text = print(outcome.planned.subject),
                   .verdict = outcome.judgement.verdict,
                   .message = outcome.judgement.reason,
                   .lost = lost_in(outcome.judgement),
                   .counters = counter_values(record.counters, record.collectives)};
  if (record.failure) {
    seen.phase = record.failure->phase;
    seen.message = record.failure->message;
    seen.operation = record.failure->operation;
    seen.group = record.failure->group;
  }
  return seen;
}

void contradict(Outcome& outcome, std::string what, std::string explanation) {
  outcome.agreement = Agreement::contradiction;
  outcome.disagreement = std::move(what);
  outcome.explanation = std::move(explanation);
  outcome.open_because.clear();
}

// What a page says is not decided by runs that did not show it: they confirm nothing.
void leave_open(Outcome& outcome, const std::string& rule, const std::string& why) {
  if (outcome.agreement != Agreement::confirmed) return;
  outcome.agreement = Agreement::open;
  outcome.open_because = fmt::format("{}: {}", rule, why);
}

// The outcome of a stack with the settings that a witness runs with.
Outcome* find_outcome(std::vector<Outcome>& outcomes, const Stack& stack, const std::string& model) {
  const auto found = std::ranges::find_if(outcomes, [&](const Outcome& o) {
    return o.planned.subject.stack == stack && o.planned.subject.model == model && o.planned.subject.apply.empty() &&
           o.planned.subject.settings == usual_settings(stack);
  });
  return found == outcomes.end() ? nullptr : &*found;
}

// Of a page's two stacks: what one of them shows alone has been held against the rules already.
void hold_pair(Outcome& bad, const Outcome& good, const Rule& rule, const Target& target) {
  const Claim claim = claim_on_witness(rule, target.project, target.version);
  const bool commutes = claim.counted == Counted::the_same;
  const bool moves = claim.counted == Counted::cost || claim.shown.move != Move::none;
  if (!commutes && !(moves && is_of_kind(claim.shown.verdict, bad.judgement.verdict))) return;
  const Observation beside = observed(good);
  const Borne borne = bears_out(claim, observed(bad), &beside);
  switch (borne.bearing) {
    case Bearing::borne_out: return;
    case Bearing::undecided:
      if (is_of_kind(claim.shown.verdict, bad.judgement.verdict)) leave_open(bad, rule.id, borne.why);
      return;
    case Bearing::departed:
    case Bearing::foreign:
      return contradict(bad, fmt::format("{}{} {}", rule.id, commutes ? " says that the orders commute;" : ":", borne.why),
                        borne.because);
  }
}

}  // namespace

void hold_against_rules(Outcome& outcome) {
  outcome.open_because.clear();
  outcome.explanation.clear();
  const Verdict seen = outcome.judgement.verdict;
  const Prediction& predicted = outcome.prediction;
  if (seen == Verdict::unrun || seen == Verdict::unstable) {
    outcome.agreement = Agreement::undecided;
    return;
  }
  if (!predicted.verdict) {
    outcome.agreement = Agreement::open;
    if (is_harm(seen))
      contradict(outcome, fmt::format("no rule predicts it for this engine and version; seen: {}", name_of(seen)), "");
    return;
  }
  // Rules speak about numbers that are owed; without the grid a layout owes none.
  if (seen == Verdict::differs && outcome.planned.subject.settings.arithmetic == Arithmetic::plain) {
    outcome.agreement = Agreement::open;
    return;
  }
  const std::string who = predicted.rule.empty() ? "no rule fires, so equal is predicted"
                                                 : fmt::format("{} predicts {}", predicted.rule, name_of(*predicted.verdict));
  const Borne borne = bears_out(predicted.claim, observed(outcome), nullptr);
  outcome.agreement = Agreement::confirmed;
  switch (borne.bearing) {
    case Bearing::borne_out: return;
    case Bearing::undecided: return leave_open(outcome, predicted.rule, borne.why);
    case Bearing::departed:
    case Bearing::foreign: {
      const bool alike = is_of_kind(*predicted.verdict, seen);
      const std::string showed = alike ? borne.why : fmt::format("seen: {}", name_of(seen));
      return contradict(outcome, fmt::format("{}; {}", who, showed), borne.because);
    }
  }
}

void hold_pairs_against_rules(std::vector<Outcome>& outcomes, const std::vector<Rule>& rules, const Target& target) {
  for (const Rule& rule : rules) {
    if (!holds_for(rule, target)) continue;
    Outcome* bad = find_outcome(outcomes, rule.witness.bad, rule.witness.model);
    const Outcome* good = find_outcome(outcomes, rule.witness.good, rule.witness.model);
    if (!bad || !good || bad->agreement == Agreement::undecided || good->agreement == Agreement::undecided) continue;
    hold_pair(*bad, *good, rule, target);
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
