#include "rules/check.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/finding_text.h"
#include "rules/item_matching.h"
#include "rules/job.h"
#include "rules/load.h"
#include "rules/match.h"
#include "rules/pins.h"
#include "rules/repair.h"
#include "rules/run_support.h"
#include "rules/smallest_conflict.h"
#include "rules/target_runs.h"
#include "rules/trainer.h"
#include "stack/case.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// Of two rules that imply each other, whether `a` is the one to report: the more severe, then the one about the target, then
// the worse harm.
bool outranks(const Judge& judge, const Rule& a, const Rule& b) {
  if (judge.severity(a) != judge.severity(b)) return judge.severity(a) == Severity::error;
  const bool a_holds = holds_for(a, judge.target()), b_holds = holds_for(b, judge.target());
  return a_holds != b_holds ? a_holds : a.harm <= b.harm;
}

// Removes findings of rules that a stronger firing rule implies, and adds their ids to its Finding::also.
std::vector<Finding> fold(std::vector<Finding> findings, const Judge& judge) {
  std::set<std::string> folded;
  for (const Finding& finding : findings) {
    const Rule& rule = *find_rule(judge.rules(), finding.rule);
    for (const std::string& id : rule.implies) {
      const auto there = std::ranges::find(findings, id, &Finding::rule);
      if (there == findings.end()) continue;
      const Rule& implied = *find_rule(judge.rules(), id);
      const bool keeps = outranks(judge, rule, implied);
      const std::string& stays = keeps ? rule.id : implied.id;
      const std::string& goes = keeps ? implied.id : rule.id;
      folded.insert(goes);
      for (Finding& kept : findings)
        if (kept.rule == stays && !contains(kept.also, goes)) kept.also.push_back(goes);
    }
  }
  std::erase_if(findings, [&](const Finding& finding) { return folded.contains(finding.rule); });
  return findings;
}

std::vector<Try> tries_of(const Finding& finding, const Report& report, const Judge& judge, RepairSearch& search) {
  const Rule& rule = *find_rule(judge.rules(), finding.rule);
  Fired fired{.rule = &rule, .items = {}, .severity = finding.severity};
  for (const Party& party : finding.parties) fired.items.push_back(party.index);
  std::vector<Stack> stacks = search.tries_against(fired, report.stack);
  if (stacks.empty() && finding.severity == Severity::error && report.repaired) stacks.push_back(*report.repaired);
  const bool sizes_matter = rule.kind == RuleKind::fits;
  std::vector<Try> tries;
  for (Stack& stack : stacks) {
    // Look for runs with the model of the user's stack: an alternative without ep still needs a model with experts.
    std::string seen = runs_in_words(stack, judge, model_of(report.stack, Case{}.model), sizes_matter);
    tries.push_back({.stack = std::move(stack), .seen = std::move(seen)});
  }
  return tries;
}

bool ran_equal(const Stack& stack, const Judge& judge, const std::string& model) {
  const std::optional<StackRun> run = run_of(stack, judge, model);
  return run && !run->own_backend && run->run->verdict == Verdict::equal;
}

// What a committed run of the whole stack showed, if no finding says so; else "". A finding describes its rule's small
// example, but the whole stack may behave differently: a silent error can raise in the trainer. Also covers a wrong run that
// no rule explains, and different results on several PyTorch releases.
std::string seen_otherwise(const Stack& stack, const std::vector<Fired>& fired, const Judge& judge, bool& ran_wrong) {
  const std::string model = model_of(stack, Case{}.model);
  std::optional<StackRun> run = run_of(stack, judge, model);
  std::string of_model;
  if (!run && (run = run_of_rare_model(stack, judge, model))) of_model = " of model " + parse_case(run->run->case_text)->model;
  if (!run || !(is_run_of(run->stack, stack) || is_run_of(run->stack, under_usual_backend(stack)))) return "";
  const bool differs_elsewhere = differs_between_platforms(*run->run, judge);
  bool has_error = false, is_told = false, is_told_otherwise = false;
  for (const Fired& one : fired) {
    if (one.severity != Severity::error) continue;
    // If the run is equal, its sizes were feasible, so a fits finding about other sizes does not explain it.
    if (one.rule->kind == RuleKind::fits && shows_parity(run->run->verdict)) continue;
    const bool is_so = shown_verdict(*one.rule, one.items, stack, judge.target()) == run->run->verdict;
    is_told = is_told || is_so;
    is_told_otherwise = is_told_otherwise || !is_so;
    has_error = true;
  }
  if (is_told && !is_told_otherwise && !differs_elsewhere) return "";
  // The run had the engine's model sizes; with the user's sizes these rules may not fire.
  const std::vector<std::string> sizes = sizes_that_do_not_fit(run->stack, judge);
  StackMatch match = judge.match(stack);
  const bool may_fit_here = !sizes.empty() && std::ranges::none_of(match.open(), [&](std::size_t page) {
    return contains(sizes, judge.rules()[page].id);
  });
  const bool is_unexplained = is_harm(run->run->verdict) && !may_fit_here;
  ran_wrong = is_unexplained && !has_error && sizes.empty();
  if (!has_error && !is_unexplained && !differs_elsewhere) return "";
  std::string text = fmt::format("{} when run on {}{}{}", verdict_in_words(*run->run), print(judge.target()), of_model,
                                 on_platforms(*run->run, judge));
  if (run->stack != stack) text += " as " + print(run->stack);
  if (!has_error && is_unexplained && !sizes.empty()) text += ", whose model breaks " + join(sizes, ", ");
  return text;
}

void leave_out_what_a_run_answers(std::vector<Finding>& findings, const Stack& stack, const Judge& judge) {
  std::erase_if(findings, [&](const Finding& finding) {
    Firing firing;
    for (const Party& party : finding.parties) firing.push_back(party.index);
    return is_answered(*find_rule(judge.rules(), finding.rule), firing, stack, judge);
  });
}

// If the repaired stack has no run with the verdict equal, replaces it by the first suggested stack that has one and keeps
// every transform. Suggested stacks have no errors either.
void prefer_what_ran_equal(Report& report, const Judge& judge) {
  const std::string model = model_of(report.stack, Case{}.model);
  if (!report.repaired || ran_equal(*report.repaired, judge, model)) return;
  for (const Finding& finding : report.findings)
    for (const Try& one : finding.tries) {
      if (drops_a_transform(report.stack, one.stack) || !ran_equal(one.stack, judge, model)) continue;
      report.repaired = one.stack;
      return;
    }
}

std::set<std::string> projects_of(const std::vector<Rule>& rules) {
  std::set<std::string> names;
  for (const Rule& rule : rules)
    for (const Holds& entry : rule.holds)
      if (entry.project != "math") names.insert(entry.project);
  return names;
}

void add_names(const Pattern& pattern, std::set<std::string>& names) {
  for (const ItemPattern& item : pattern.any_of) names.insert(item.name);
}

// The committed runs of a project, each case parsed once.
std::vector<TargetRun> runs_of(const std::string& project, const std::vector<Observation>& observations) {
  std::vector<TargetRun> runs;
  for (const Observation& seen : observations)
    if (seen.engine == project)
      if (Result<Case> ran = parse_case(seen.case_text)) runs.push_back({.seen = &seen, .ran = *std::move(ran)});
  return runs;
}

// The transforms that are known for a project: those in its committed runs. For a project without runs, those that its rule
// pages name. With runs, a page does not suffice, because it says what is wrong with a transform, not that it works.
std::set<std::string> known_to(const std::string& project, const std::vector<Rule>& rules, const std::vector<TargetRun>& runs) {
  std::set<std::string> known;
  for (const TargetRun& run : runs)
    for (const Item& item : run.ran.stack.items) known.insert(item.name);
  if (!known.empty()) return known;
  for (const Rule& rule : rules) {
    if (std::ranges::find(rule.holds, project, &Holds::project) == rule.holds.end()) continue;
    add_names(rule.one, known);
    add_names(rule.other, known);
  }
  return known;
}

// The runs of one version. If a project's release ran a case on several PyTorch releases, keeps only the run on the newest.
std::vector<TargetRun> of_version(std::vector<TargetRun> runs, const Version& version) {
  std::erase_if(runs, [&](const TargetRun& run) {
    const Result<Version> ran = parse_version(run.seen->version);
    return !ran || *ran != version;
  });
  std::map<std::string, const Observation*> last;
  for (const TargetRun& run : runs) last[run.seen->case_text] = run.seen;
  std::erase_if(runs, [&](const TargetRun& run) { return last.at(run.seen->case_text) != run.seen; });
  return runs;
}

// Whether all the rule's claims about the target's project are about older versions, or all about newer ones. Unlike holds_for,
// includes claims about one implementation of the project.
bool is_of_other_releases(const Rule& rule, const Target& target) {
  const auto begins_later = [&](const VersionBound& bound) {
    return (bound.relation == Relation::at_least && bound.version > *target.version) ||
           (bound.relation == Relation::above && bound.version >= *target.version);
  };
  bool speaks = false;
  for (const Holds& entry : rule.holds) {
    if (entry.project != target.project) continue;
    speaks = true;
    if (std::ranges::none_of(entry.bounds, begins_later) && !ended_before(entry, *target.version)) return false;
  }
  return speaks;
}

}  // namespace

Judge::Judge(const std::vector<Rule>& rules, Target target, const std::vector<Observation>& observations, Job job,
             RuleSelection asked)
    : rules_(rules),
      target_(std::move(target)),
      observations_(observations),
      job_(std::move(job)),
      asked_(std::move(asked)),
      catalogue_(std::make_shared<const Catalogue>(rules)),
      job_values_(values_of(job_)),
      witnesses_(std::make_shared<const WitnessPartsOfPages>(rules)),
      others_(std::make_shared<Others>()) {
  assert(target_.version && "a target is settled before it is judged for");
  const std::vector<TargetRun> runs = runs_of(target_.project, observations_);
  std::vector<TargetRun> own = of_version(runs, *target_.version);
  // Runs of other versions count only if the target's version has none, since other versions may have other transforms.
  known_ = known_to(target_.project, rules_, own.empty() ? runs : own);
  runs_ = RunIndex(std::move(own));
  for (const Rule& rule : rules_) grades_.push_back(grade_of(rule, target_, observations));
  for (std::size_t page = 0; page < rules_.size(); ++page) {
    severities_.push_back(severity_of(rules_[page], target_, grades_[page]));
    silenced_.push_back(silences(rules_[page]));
    const GradeKind kind = grades_[page].kind;
    const bool is_over = kind == GradeKind::refuted || kind == GradeKind::stale;
    standing_.push_back(!is_over && holds_for(rules_[page], target_));
  }
}

struct Judge::Others {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<const Judge>> judges;
};

const Judge* Judge::elsewhere(const std::string& project) const {
  const std::lock_guard lock(others_->mutex);
  // A project without pages is cached too, as null.
  const auto [found, is_new] = others_->judges.try_emplace(project);
  if (is_new)
    if (const auto target = settle_target({.project = project, .implementation = "", .version = {}}, rules_, observations_))
      found->second = std::make_unique<const Judge>(rules_, *target, observations_, job_);
  return found->second.get();
}

PagePlaces Judge::fired(StackMatch& match) const {
  PagePlaces pages = match.fired();
  std::erase_if(pages, [&](std::size_t page) { return silenced_[page]; });
  return pages;
}

PagePlaces Judge::errors(StackMatch& match) const {
  PagePlaces pages = fired(match);
  std::erase_if(pages, [&](std::size_t page) { return severities_[page] != Severity::error; });
  return pages;
}

std::size_t Judge::index_of(const Rule& rule) const {
  const auto index = static_cast<std::size_t>(&rule - rules_.data());
  assert(index < grades_.size() && "a rule of this judge");
  return index;
}

bool Judge::silences(const Rule& rule) const {
  if (is_silent_for(rule, target_.project)) return true;
  // A bug of other releases does not exist in this one, so it never explains a run here.
  if (rule.silent_elsewhere && !runs_.runs().empty() && is_of_other_releases(rule, target_)) return true;
  const bool elsewhere = speaks_about(rule, target_.project) && !holds_for(rule, target_);
  const Grade& there = grade(rule);
  // Only a run proves that the claim has ended; a version bound on the page does not.
  const bool gone = (there.kind == GradeKind::refuted || there.kind == GradeKind::stale) && !there.engine.empty();
  return elsewhere && rule.basis != Basis::fundamental && gone;
}

Result<Target> settle_target(const Target& asked, const std::vector<Rule>& rules,
                             const std::vector<Observation>& observations) {
  const std::set<std::string> known = projects_of(rules);
  std::optional<Version> newest = newest_known(rules, asked.project);
  for (const Observation& seen : observations)
    if (seen.engine == asked.project)
      if (const Result<Version> version = parse_version(seen.version); version && (!newest || *version > *newest))
        newest = *version;
  if (!newest) {
    const std::vector<std::string> names(known.begin(), known.end());
    return Error{
        fmt::format("no rule speaks about '{}'; {}", asked.project, did_you_mean(asked.project, names, "rules speak about: "))};
  }
  Target settled = asked;
  if (!settled.version) {
    settled.version = std::move(newest);
    return settled;
  }
  for (const Observation& seen : observations)
    if (const Result<Version> version = parse_version(seen.version); seen.engine == asked.project && version)
      if (is_within(*version, *asked.version) && *version > *settled.version) settled.version = *version;
  return settled;
}

int count_of(const Report& report, Severity severity) {
  return static_cast<int>(std::ranges::count(report.findings, severity, &Finding::severity));
}

Legality legality_of(const Report& report) {
  if (count_of(report, Severity::error) > 0) return Legality::illegal;
  return report.unknown.empty() && !report.ran_wrong ? Legality::legal : Legality::unknown;
}

std::vector<Fired> fired_on(const Stack& stack, const Judge& judge) {
  std::vector<Fired> fired;
  StackMatch match = judge.match(stack);
  for (const std::size_t page : judge.fired(match)) {
    const Rule& rule = judge.rules()[page];
    for (Firing& firing : match.firings(page))
      fired.push_back({.rule = &rule, .items = std::move(firing), .severity = judge.severity(rule)});
  }
  // Rules are sorted by kind and id, firings by place, so a stable sort only needs to put errors first.
  std::ranges::stable_sort(fired, {}, &Fired::severity);
  return fired;
}

namespace {

std::vector<Finding> in_words(const std::vector<Fired>& fired, const Stack& stack, const Judge& judge) {
  std::vector<Finding> findings;
  for (const Fired& one : fired) findings.push_back(describe(*one.rule, one.items, stack, judge));
  return findings;
}

// The findings that a report has about what fired.
std::vector<Finding> describe_all(const std::vector<Fired>& fired, const Stack& stack, const Judge& judge) {
  std::vector<Finding> findings = fold(in_words(fired, stack, judge), judge);
  leave_out_what_a_run_answers(findings, stack, judge);
  return findings;
}

}  // namespace

std::vector<Finding> findings_of(const Stack& stack, const Judge& judge) {
  return in_words(fired_on(stack, judge), stack, judge);
}

bool has_error(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::error; });
}

Report check(const Stack& stack, const Judge& judge) {
  RepairSearch search(judge);
  return check(stack, judge, search);
}

Report check(const Stack& stack, const Judge& judge, RepairSearch& search) {
  search.begin(model_of(stack, Case{}.model));
  Report report;
  report.stack = stack;
  report.target = judge.target();
  const std::vector<Fired> fired = fired_on(stack, judge);
  const RuleSelection& asked = judge.asked();
  std::vector<Fired> reported = fired;
  const auto others = std::ranges::stable_partition(reported, [&](const Fired& one) { return asked.has(one.rule->id); });
  report.not_asked.by = asked.written();
  report.not_asked.findings = describe_all({others.begin(), others.end()}, stack, judge);
  reported.erase(others.begin(), others.end());
  report.findings = describe_all(reported, stack, judge);
  report.seen = seen_otherwise(stack, fired, judge, report.ran_wrong);
  report.conflict = smallest_conflict(stack, judge);
  report.repaired = search.repaired(stack);
  // A run may have shown that every error is none (is_answered); then there is nothing to repair.
  if (!has_error(report.findings)) {
    report.conflict.reset();
    report.repaired.reset();
  }
  if (report.conflict && !std::ranges::all_of(report.conflict->rules, [&](const auto& id) { return asked.has(id); }))
    report.conflict.reset();
  StackMatch match = judge.match(stack);
  for (const std::size_t page : match.open())
    if (const Rule& rule = judge.rules()[page]; !judge.is_silenced(rule))
      (asked.has(rule.id) ? report.not_judged : report.not_asked.not_judged)
          .push_back({.rule = rule.id, .sizes = match.unknown_sizes(page)});
  for (Finding& finding : report.findings) finding.tries = tries_of(finding, report, judge, search);
  prefer_what_ran_equal(report, judge);
  report.trainer = trainer_advice(stack, judge);
  std::erase_if(report.trainer, [&](const TrainerAdvice& one) { return !asked.has(one.rule); });
  report.unknown = unknown_in(stack, judge);
  return report;
}

}  // namespace ordercheck
