// Checks a stack against the rules: all findings, the smallest part that is still wrong, and a repair.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/catalogue.h"
#include "rules/finding.h"
#include "rules/item_matching.h"
#include "rules/job.h"
#include "rules/match.h"
#include "rules/rule_selection.h"
#include "rules/run_index.h"
#include "stack/case.h"

namespace ordercheck {

class RepairSearch;

// Holds what stacks are judged by: rules, the target (engine and version), committed runs, and the job's sizes. Keeps
// references to the caller's rules and observations, which must outlive it. Grades every rule once. Thread safe.
class Judge {
 public:
  // `target` must have a version, see settle_target. `job` defaults to the model sizes that the engines run. `asked` decides
  // what check() reports; repairs obey every rule.
  Judge(const std::vector<Rule>& rules, Target target, const std::vector<Observation>& observations, Job job = {},
        RuleSelection asked = {});

  const std::vector<Rule>& rules() const { return rules_; }
  const Target& target() const { return target_; }
  const std::vector<Observation>& observations() const { return observations_; }
  const Job& job() const { return job_; }
  const RuleSelection& asked() const { return asked_; }
  const RunIndex& runs() const { return runs_; }
  const WitnessParts& witness_parts(const Rule& rule) const { return witnesses_->of(index_of(rule)); }  // for one of rules()
  // Whether a committed run of the target's project has the transform. For a project without runs: whether one of its pages
  // names it.
  bool knows(const std::string& transform) const { return known_.contains(transform); }
  const Catalogue& catalogue() const { return *catalogue_; }
  const ConditionValues& job_values() const { return job_values_; }
  StackMatch match(const Stack& stack, MissingDegrees missing = MissingDegrees::open) const {  // refers to *this and `stack`
    return {*catalogue_, stack, job_values_, missing};
  }
  const Grade& grade(const Rule& rule) const { return grades_[index_of(rule)]; }  // for one of rules()
  Severity severity(const Rule& rule) const { return severities_[index_of(rule)]; }
  // Whether the page never fires for the target: a run shows that its claim about other versions is not true for this one, or
  // the page is only about other projects.
  bool is_silenced(const Rule& rule) const { return silenced_[index_of(rule)]; }
  // Whether the page's claim covers the target, and no run of the target refutes it.
  bool stands(const Rule& rule) const { return standing_[index_of(rule)]; }
  // The pages that fire on a matched stack and are not silenced; errors() only those of severity error.
  PagePlaces fired(StackMatch& match) const;
  PagePlaces errors(StackMatch& match) const;
  // A judge with the same rules and job for the newest version of another project; null if no page names the project. Created
  // on first use.
  const Judge* elsewhere(const std::string& project) const;

 private:
  std::size_t index_of(const Rule& rule) const;
  bool silences(const Rule& rule) const;

  const std::vector<Rule>& rules_;
  Target target_;
  const std::vector<Observation>& observations_;
  Job job_;
  RuleSelection asked_;
  std::vector<Grade> grades_;  // one per rule, like the next members
  std::vector<Severity> severities_;
  std::vector<bool> silenced_, standing_;
  std::set<std::string> known_;
  RunIndex runs_;
  std::shared_ptr<const Catalogue> catalogue_;
  ConditionValues job_values_;
  std::shared_ptr<const WitnessPartsOfPages> witnesses_;
  struct Others;
  std::shared_ptr<Others> others_;
};

// Returns `asked` with a complete version. If it has none, takes the newest version in pages and runs; for a series (2.12),
// the newest version of it with runs (2.12.1). An error that lists the known projects if the project is unknown.
Result<Target> settle_target(const Target& asked, const std::vector<Rule>& rules, const std::vector<Observation>& observations);

// Checks a stack against all rules that are asked and not silenced, and adds the smallest conflict and repairs. A finding that a
// stronger rule implies is listed in that rule's finding (`also`).
Report check(const Stack& stack, const Judge& judge);
// The same for many stacks: `search` caches repairs, and must belong to the same judge.
Report check(const Stack& stack, const Judge& judge, RepairSearch& search);

// A rule that fires at a place in a stack: the input of a finding's text.
struct Fired {
  const Rule* rule = nullptr;  // owned by the judge
  Firing items;
  Severity severity = Severity::advice;
};

// Every place of the stack where a rule that is not silenced fires: errors first, then by rule kind, id and place. Builds no
// text, because the search for repairs calls this for hundreds of stacks.
std::vector<Fired> fired_on(const Stack& stack, const Judge& judge);

// The same as findings with text, but without repairs, and without merging implied ones.
std::vector<Finding> findings_of(const Stack& stack, const Judge& judge);
bool has_error(const std::vector<Finding>& findings);

}  // namespace ordercheck
