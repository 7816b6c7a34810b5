#include "rule/grade.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "parity/counters.h"
#include "rule/prediction.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

// What one run of the witness says about the claim.
struct Shown {
  enum { nothing, the_harm, no_harm } what = nothing;
  std::string note;
};

struct Run {
  const Observation* observation = nullptr;
  Version version;
  Shown shown;
};

// Evidence names a case as print() does, so texts are compared: a witness is run with its usual settings.
bool is_case(const Observation& observation, const Stack& stack, const std::string& model) {
  return observation.case_text == print(usual_case(stack, model, observation.engine));
}

const Observation* twin_of(const Observation& bad, const Rule& rule, const std::vector<Observation>& all) {
  const auto found = std::ranges::find_if(all, [&](const Observation& other) {
    return other.engine == bad.engine && other.version == bad.version && is_case(other, rule.witness.good, rule.witness.model);
  });
  return found == all.end() ? nullptr : &*found;
}

// A failure or a hang counts only as the page pins it: anything may fail.
Shown shown_by_message(const Observation& bad, const Expectation* expected) {
  if (expected == nullptr) return {Shown::nothing, "it ended early, but no page pins where and with what message"};
  const bool phase = !expected->phase || bad.phase == expected->phase;
  const auto said = [&](const std::string& fragment) { return bad.message.find(fragment) != std::string::npos; };
  if (phase && said(expected->message) && said(expected->operation) && said(expected->group))
    return {Shown::the_harm, fmt::format("\"{}\"", bad.message)};
  return {Shown::nothing, fmt::format("a foreign failure: \"{}\"", bad.message)};
}

Shown shown_by_counter(const Observation& bad, const Observation* good, const Expectation* expected) {
  if (expected == nullptr || expected->move == Move::none)
    return {Shown::nothing, "equal numbers say nothing about cost, and no page pins a counter"};
  if (good == nullptr || !shows_parity(good->verdict)) return {Shown::nothing, "the good stack did not run equal"};
  const std::int64_t left = value_in(bad.counters, expected->counter), right = value_in(good->counters, expected->counter);
  if (!is_measured(left) || !is_measured(right)) return {Shown::nothing, not_measured_by(bad.engine, expected->counter)};
  const bool moved = expected->move == Move::more ? left > right : expected->move == Move::less ? left < right : left == right;
  return {moved ? Shown::the_harm : Shown::no_harm,
          fmt::format("{} is {} against {}", expected->counter, left, right)};
}

Shown shown_by(const Observation& bad, const Rule& rule, const std::vector<Observation>& all) {
  const Result<Version> version = parse_version(bad.version);
  const Expectation* expected = version ? expectation_for(rule, bad.engine, *version) : nullptr;
  if (expected != nullptr && departs(rule, *expected)) {
    if (expected->version == *version) return {Shown::no_harm, expected->because};
    expected = nullptr;  // pins of another version's departure say nothing here
  }
  const Verdict harm = verdict_of(rule.harm);
  if (bad.verdict == Verdict::unrun || bad.verdict == Verdict::unstable) return {Shown::nothing, "undecided"};
  if (bad.verdict != harm) {
    const bool ended_early = bad.verdict == Verdict::fails || bad.verdict == Verdict::hangs;
    if (ended_early) return {Shown::nothing, fmt::format("a foreign failure: \"{}\"", bad.message)};
    return {Shown::no_harm, fmt::format("{} where {} was expected", name_of(bad.verdict), name_of(harm))};
  }
  switch (rule.harm) {
    case Harm::wrong: return {Shown::the_harm, bad.message};
    case Harm::ignored:
      if (expected == nullptr) return {Shown::the_harm, bad.message};
      return shown_by_counter(bad, twin_of(bad, rule, all), expected);
    case Harm::fails:
    case Harm::hangs: return shown_by_message(bad, expected);
    case Harm::slow:
    case Harm::memory: return shown_by_counter(bad, twin_of(bad, rule, all), expected);
  }
  assert(false && "a harm is one of six");
  return {};
}

// A commutes page is shown by both orders running equal.
Shown shown_commuting(const Observation& one, const Rule& rule, const std::vector<Observation>& all) {
  const Observation* other = twin_of(one, rule, all);
  if (!shows_parity(one.verdict) && one.verdict != Verdict::unrun && one.verdict != Verdict::unstable)
    return {Shown::no_harm, fmt::format("{} is {}", one.case_text, name_of(one.verdict))};
  if (other == nullptr || !shows_parity(other->verdict) || !shows_parity(one.verdict))
    return {Shown::nothing, "only one of the two orders ran"};
  const CountersHeld held = hold_counters(one.counters, other->counters);
  if (!held.apart.empty()) return {Shown::no_harm, "equal numbers, but counters that differ"};
  if (!held.unmeasured.empty()) return {Shown::nothing, not_measured_by(one.engine, held.unmeasured)};
  return {Shown::the_harm, "equal numbers and counters"};
}

Grade grade_by_citations(const Rule& rule, std::string note) {
  const auto says = [&](Stance stance) {
    return std::ranges::any_of(rule.citations, [&](const Citation& cite) { return cite.says == stance; });
  };
  const bool clash = says(Stance::disputes) || says(Stance::split);
  return {.kind = clash ? GradeKind::contested : GradeKind::cited, .engine = "", .version = "", .note = std::move(note)};
}

std::vector<Run> runs_of(const Rule& rule, const std::string& engine, const std::vector<Observation>& all,
                         std::string& undecided) {
  std::vector<Run> runs;
  // A case does not say how many ranks there are: a run has always as many as its mesh needs.
  if (rule.witness.ranks) return runs;
  for (const Observation& seen : all) {
    if (seen.engine != engine || !is_case(seen, rule.witness.bad, rule.witness.model)) continue;
    const Result<Version> version = parse_version(seen.version);
    if (!version) continue;
    const Shown shown = rule.kind == RuleKind::commutes ? shown_commuting(seen, rule, all) : shown_by(seen, rule, all);
    if (shown.what == Shown::nothing)
      undecided = fmt::format("{} {}: {}", seen.engine, seen.version, shown.note);
    else
      runs.push_back({&seen, *version, shown});
  }
  std::ranges::sort(runs, {}, &Run::version);
  return runs;
}

// The run of this version, else the newest older one, else the oldest newer one.
const Run& nearest_run(const std::vector<Run>& runs, const std::optional<Version>& version) {
  if (!version) return runs.back();
  const auto newer = std::ranges::upper_bound(runs, *version, {}, &Run::version);
  return newer == runs.begin() ? runs.front() : *(newer - 1);
}

Grade grade_by_runs(const std::vector<Run>& runs, const std::optional<Version>& version) {
  const Run& run = nearest_run(runs, version);
  GradeKind kind = GradeKind::reproduced;
  if (run.shown.what == Shown::no_harm) {
    const bool once = std::ranges::any_of(
        runs, [&](const Run& r) { return r.version < run.version && r.shown.what == Shown::the_harm; });
    kind = once ? GradeKind::stale : GradeKind::refuted;
  }
  return {.kind = kind, .engine = run.observation->engine, .version = run.observation->version, .note = run.shown.note};
}

// A page that ends its claim below the version in question says itself that it is over.
bool says_it_is_over(const Rule& rule, const Target& target) {
  bool spoke = false;
  for (const Holds& entry : rule.holds) {
    if (entry.project == "math") return false;
    if (!speaks_about(entry, target.project) || entry.implementation != target.implementation) continue;
    if (!target.version || !ended_before(entry, *target.version)) return false;
    spoke = true;
  }
  return spoke;
}

}  // namespace

Grade grade_of(const Rule& rule, const Target& target, const std::vector<Observation>& observations) {
  std::string undecided;
  std::vector<Run> runs;
  if (speaks_about(rule, target.project)) runs = runs_of(rule, target.project, observations, undecided);
  if (target.version && holds_for(rule, target))  // then a run of a version that the page is silent about says nothing
    std::erase_if(runs, [&](const Run& run) {
      return !holds_for(rule, {.project = target.project, .implementation = target.implementation, .version = run.version});
    });
  const bool math = std::ranges::any_of(rule.holds, [](const Holds& entry) { return entry.project == "math"; });
  if (runs.empty() && math)
    for (const Observation& seen : observations)
      if (runs.empty() && seen.engine != target.project) runs = runs_of(rule, seen.engine, observations, undecided);
  if (!runs.empty()) {
    const bool own = runs.front().observation->engine == target.project;
    return grade_by_runs(runs, own ? target.version : std::nullopt);
  }
  if (target.version)
    if (const Expectation* expected = expectation_for(rule, target.project, *target.version))
      if (expected->version == *target.version && departs(rule, *expected))
        return {.kind = GradeKind::refuted,
                .engine = expected->engine,
                .version = print(expected->version),
                .note = expected->because};
  if (says_it_is_over(rule, target))
    return {.kind = GradeKind::stale, .engine = "", .version = "", .note = "the page ends its claim at an older version"};
  return grade_by_citations(rule, undecided);
}

Severity severity_of(const Rule& rule, const Target& target, const Grade& grade) {
  const bool costs_only = rule.kind == RuleKind::commutes || rule.harm == Harm::slow || rule.harm == Harm::memory;
  const bool in_question = rule.basis == Basis::fundamental || holds_for(rule, target);
  const bool stands = grade.kind == GradeKind::reproduced || grade.kind == GradeKind::cited;
  return !costs_only && in_question && stands ? Severity::error : Severity::advice;
}

const char* name_of(GradeKind kind) {
  switch (kind) {
    case GradeKind::reproduced: return "reproduced";
    case GradeKind::cited: return "cited";
    case GradeKind::contested: return "contested";
    case GradeKind::refuted: return "refuted";
    case GradeKind::stale: return "stale";
  }
  assert(false && "a grade has a name");
  return "";
}

const char* name_of(Severity severity) { return severity == Severity::error ? "error" : "advice"; }

std::string print(const Grade& grade) {
  if (grade.engine.empty()) return name_of(grade.kind);
  return fmt::format("{}: {} {}", name_of(grade.kind), grade.engine, grade.version);
}

}  // namespace ordercheck
