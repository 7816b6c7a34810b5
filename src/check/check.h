// Is a stack legal, and why not? Every violation at once, the smallest conflict, a repair.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/finding.h"
#include "check/partners.h"
#include "check/run_index.h"
#include "rule/catalogue.h"
#include "rule/job.h"
#include "rule/match.h"
#include "stack/case.h"

namespace ordercheck {

class RepairSearch;

// What a stack is judged by and for. Refers to rules and observations of the caller, which must outlive it; grades every
// rule once. Several threads may ask one judge.
class Judge {
 public:
  // `target` has a version: settle_target gives it one. `job`: the sizes of the model that every engine runs, unless given.
  Judge(const std::vector<Rule>& rules, Target target, const std::vector<Observation>& observations, Job job = {});

  const std::vector<Rule>& rules() const { return rules_; }
  const Target& target() const { return target_; }
  const std::vector<Observation>& observations() const { return observations_; }
  const Job& job() const { return job_; }
  const RunIndex& runs() const { return runs_; }
  const WitnessParts& witness_parts(const Rule& rule) const { return witnesses_->of(index_of(rule)); }  // of one of rules()
  // Whether a committed run of the target's project holds the transform; of a project that is not run here, whether one of its
  // pages names it.
  bool knows(const std::string& transform) const { return known_.contains(transform); }
  // The rules, compiled, and what its job adds to every stack.
  const Catalogue& catalogue() const { return *catalogue_; }
  const ConditionValues& job_values() const { return job_values_; }
  StackMatch match(const Stack& stack, MissingDegrees missing = MissingDegrees::open) const {  // refers to both
    return {*catalogue_, stack, job_values_, missing};
  }
  const Grade& grade(const Rule& rule) const { return grades_[index_of(rule)]; }  // of one of rules()
  Severity severity(const Rule& rule) const { return severities_[index_of(rule)]; }
  // A page about other versions of the target, which a run has shown to be right in leaving this one out; or one that is silent
  // about other projects than its own.
  bool is_silenced(const Rule& rule) const { return has(silenced_, index_of(rule)); }
  // It holds for the target, and no run there shows otherwise.
  bool stands(const Rule& rule) const { return has(standing_, index_of(rule)); }
  // Rules that fire and are not silenced, and those of them that are errors.
  PageBits fired(StackMatch& match) const;
  PageBits errors(StackMatch& match) const;
  // What judges the same question for the newest version of another project; null where nothing speaks of it. Made when it is
  // first asked for.
  const Judge* elsewhere(const std::string& project) const;

 private:
  std::size_t index_of(const Rule& rule) const;
  bool silences(const Rule& rule) const;

  const std::vector<Rule>& rules_;
  Target target_;
  const std::vector<Observation>& observations_;
  Job job_;
  std::vector<Grade> grades_;  // one a rule, as of the following
  std::vector<Severity> severities_;
  PageBits silenced_, errors_, standing_;
  std::set<std::string> known_;
  RunIndex runs_;
  std::shared_ptr<const Catalogue> catalogue_;
  ConditionValues job_values_;
  std::shared_ptr<const WitnessPartsOfPages> witnesses_;
  struct Others;
  std::shared_ptr<Others> others_;
};

// The target with the newest version that the pages and observations know, where it has none; with the newest of its series that was
// run, where it names a series: 2.12 means 2.12.1. An error when nothing speaks of the project: the message names those that are spoken
// of.
Result<Target> settle_target(const Target& asked, const std::vector<Rule>& rules, const std::vector<Observation>& observations);

// Every finding of every rule that is not silenced, those folded away that a stronger one implies; smallest conflict and
// repairs with them.
Report check(const Stack& stack, const Judge& judge);
// Of one stack after another: what was tried to mend one is known for the next. `search` is of the same judge.
Report check(const Stack& stack, const Judge& judge, RepairSearch& search);

// A rule that fires on a place of a stack: what a finding describes in words.
struct Fired {
  const Rule* rule = nullptr;  // of the judge
  Firing firing;
  Severity severity = Severity::advice;
};

// Of every rule that is not silenced, errors first, then by rule kind, id and place. No words are made: repairs and cores ask this of
// hundreds of stacks.
std::vector<Fired> fired_on(const Stack& stack, const Judge& judge);

// The same in words, without repairs, conflict, or folding.
std::vector<Finding> findings_of(const Stack& stack, const Judge& judge);
bool has_error(const std::vector<Finding>& findings);

}  // namespace ordercheck
