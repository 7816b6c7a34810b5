#include "rules/grade.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "rules/pins.h"
#include "rules/run_support.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

struct Run {
  const Observation* observation = nullptr;
  Version version;
  Borne borne;
  bool decides() const { return borne.bearing == Bearing::borne_out || borne.bearing == Bearing::departed; }
  bool harms_otherwise = false;  // the run shows another harm, which the page explains for this version
  bool shows_it() const { return borne.bearing == Bearing::borne_out || harms_otherwise; }
};

Grade grade_by_citations(const Rule& rule, std::string note) {
  const auto says = [&](Stance stance) {
    return std::ranges::any_of(rule.citations, [&](const Citation& cite) { return cite.says == stance; });
  };
  const bool clash = says(Stance::disputes) || says(Stance::split);
  return {
      .kind = clash ? GradeKind::contested : GradeKind::cited, .engine = "", .version = "", .on = "", .note = std::move(note)};
}

std::vector<Run> runs_on_engine(const Rule& rule, const std::string& engine, const std::vector<Observation>& all) {
  std::vector<Run> runs;
  // A run always has as many ranks as its mesh needs, so a rule about the number of ranks has no run.
  if (rule.witness.ranks) return runs;
  const std::string bad = print(case_of(rule.witness.bad, rule.witness, engine));
  for (const Observation& seen : all) {
    if (seen.case_text != bad || seen.engine != engine) continue;
    const Observation* good = find_run(all, rule.witness.good, rule.witness, engine, seen.version, seen.on);
    const Result<Version> version = parse_version(seen.version);
    if (!version) continue;
    Borne borne = bears_out(claim_on_witness(rule, engine, *version), seen, good);
    // If the page claims silently wrong numbers, and the run fails as an [[expect]] entry says, the claim still counts as
    // shown: the stack is to be avoided.
    bool otherwise = rule.kind != RuleKind::commutes && !is_cost(rule) && borne.bearing == Bearing::departed &&
                     !borne.because.empty() && is_harm(seen.verdict);
    // If the run of the good stack went wrong too, the bad stack's run says nothing about this rule.
    if (otherwise && good != nullptr && is_harm(good->verdict)) {
      borne = {Bearing::undecided, fmt::format("{} {} too", print(rule.witness.good), verdict_in_words(*good)), ""};
      otherwise = false;
    }
    runs.push_back({.observation = &seen, .version = *version, .borne = std::move(borne), .harms_otherwise = otherwise});
  }
  // Stable, so that of several PyTorch releases the newest, which is read last, stays last.
  std::ranges::stable_sort(runs, {}, &Run::version);
  return runs;
}

// The note of the last run that decides nothing, preferably of this version.
std::string what_is_open(const std::vector<Run>& runs, const std::optional<Version>& version) {
  std::string open;
  for (const Run& run : runs) {
    if (run.decides()) continue;
    open = fmt::format("{} {}: {}", run.observation->engine, run.observation->version, run.borne.why);
    if (version && run.version == *version) break;
  }
  return open;
}

// The run that grades the rule for `version`: that of the version itself, else of the newest older version, else of the oldest
// newer one. An older version's behaviour usually still holds; a newer version says nothing about earlier ones.
const Run& nearest_run(const std::vector<Run>& runs, const std::optional<Version>& version) {
  if (!version) return runs.back();
  const auto newer = std::ranges::upper_bound(runs, *version, {}, &Run::version);
  return newer == runs.begin() ? runs.front() : *(newer - 1);
}

Grade grade_by_runs(const std::vector<Run>& runs, const std::optional<Version>& version) {
  const Run& run = nearest_run(runs, version);
  GradeKind kind = GradeKind::reproduced;
  if (!run.shows_it()) {
    // A claim that once reproduced has ended with a version; one that never did is wrong.
    const bool once = std::ranges::any_of(runs, [&](const Run& r) { return r.version < run.version && r.shows_it(); });
    kind = once ? GradeKind::stale : GradeKind::refuted;
  }
  const std::string& note = run.borne.because.empty() ? run.borne.why : run.borne.because;
  const std::string& backend = run.observation->backend;
  return {.kind = kind,
          .engine = run.observation->engine,
          .version = run.observation->version,
          .on = run.observation->on,
          .note = backend.empty() ? note : fmt::format("{} ({})", note, backend)};
}

// Whether all versions that the rule is about are older than the target's version.
bool says_it_is_over(const Rule& rule, const Target& target) {
  bool spoke = false;
  for (const Holds& entry : rule.holds) {
    if (entry.project == "math") return false;
    if (entry.project != target.project) continue;
    if (!target.version || !ended_before(entry, *target.version)) return false;
    spoke = spoke || entry.implementation == target.implementation;
  }
  return spoke;
}

}  // namespace

Grade grade_of(const Rule& rule, const Target& target, const std::vector<Observation>& observations) {
  std::vector<Run> runs;
  // The engine does not run another implementation of its project (pytorch-fsdp1), so its runs must not grade claims about it.
  if (speaks_about(rule, target.project) && target.implementation.empty())
    runs = runs_on_engine(rule, target.project, observations);
  if (target.version && holds_for(rule, target))  // runs of versions outside of `holds` then say nothing
    std::erase_if(runs, [&](const Run& run) {
      return !holds_for(rule, {.project = target.project, .implementation = target.implementation, .version = run.version});
    });
  // Any engine may show a claim about mathematics. Use the runs of one engine only, so that the grade can name it.
  const bool math = std::ranges::any_of(rule.holds, [](const Holds& entry) { return entry.project == "math"; });
  if (runs.empty() && math)
    for (const Observation& seen : observations)
      if (runs.empty() && seen.engine != target.project) runs = runs_on_engine(rule, seen.engine, observations);
  // Versions of different engines are not comparable: for another engine, use its newest run.
  const bool own = !runs.empty() && runs.front().observation->engine == target.project;
  const std::optional<Version> version = own ? target.version : std::nullopt;
  const std::string open = what_is_open(runs, version);
  const auto is_this = [&](const Run& run) { return version && run.version == *version; };
  // If a release ran on several PyTorch releases, one of them showing it is enough.
  const bool this_is_open = std::ranges::any_of(runs, [&](const Run& run) { return is_this(run) && !run.decides(); }) &&
                            std::ranges::none_of(runs, [&](const Run& run) { return is_this(run) && run.shows_it(); });
  std::erase_if(runs, [](const Run& run) { return !run.decides(); });
  // If exactly this version ran without a decision, an older run must not hide that. The citations decide, and the note says
  // what is undecided.
  if (!runs.empty() && !this_is_open) return grade_by_runs(runs, version);
  if (says_it_is_over(rule, target))
    return {
        .kind = GradeKind::stale, .engine = "", .version = "", .on = "", .note = "the rule ends its claim at an older version"};
  return grade_by_citations(rule, open);
}

Severity severity_of(const Rule& rule, const Target& target, const Grade& grade) {
  // A cost is never an error: the stack is correct, and the user decides whether the price is too high.
  const bool costs_only = rule.kind == RuleKind::commutes || rule.harm == Harm::slow || rule.harm == Harm::memory;
  const bool in_question = rule.basis == Basis::fundamental || holds_for(rule, target);
  const bool stands = grade.kind == GradeKind::reproduced || grade.kind == GradeKind::cited;
  return !costs_only && in_question && stands ? Severity::error : Severity::advice;
}

std::string print(const Grade& grade) {
  if (grade.engine.empty()) return name_of(grade.kind);
  return fmt::format("{}: {} {}{}", name_of(grade.kind), grade.engine, grade.version,
                     grade.on.empty() ? "" : " on " + grade.on);
}

}  // namespace ordercheck
