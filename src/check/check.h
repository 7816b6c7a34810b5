// Is a stack legal, and why not? Every violation at once, the smallest conflict, a repair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/finding.h"
#include "rule/job.h"

namespace ordercheck {

// What a stack is judged by and for. Refers to rules and observations of the caller, which must outlive it; grades every
// rule once. Read only after that, so one judge may serve several threads.
class Judge {
 public:
  // `target` has a version: settle_target gives it one. `job`: the sizes of the model that every engine runs, unless given.
  Judge(const std::vector<Rule>& rules, Target target, const std::vector<Observation>& observations, Job job = {});

  const std::vector<Rule>& rules() const { return rules_; }
  const Target& target() const { return target_; }
  const std::vector<Observation>& observations() const { return observations_; }
  const Job& job() const { return job_; }
  const Grade& grade(const Rule& rule) const;  // of one of rules()
  Severity severity(const Rule& rule) const;
  // A page about other versions of the target, which a run has shown to be right in leaving this one out; or one that is silent
  // about other projects than its own.
  bool is_silenced(const Rule& rule) const;

 private:
  const std::vector<Rule>& rules_;
  Target target_;
  const std::vector<Observation>& observations_;
  Job job_;
  std::vector<Grade> grades_;  // one a rule
};

// The target with the newest version that the pages and observations know, where it has none. An error when nothing
// speaks of the project: the message names those that are spoken of.
Result<Target> settle_target(const Target& asked, const std::vector<Rule>& rules, const std::vector<Observation>& observations);

// Every finding of every rule that is not silenced, those folded away that a stronger one implies; smallest conflict and
// repairs with them.
Report check(const Stack& stack, const Judge& judge);

// The findings alone, without repairs, conflict, or folding: what repairs and cores are computed by.
std::vector<Finding> findings_of(const Stack& stack, const Judge& judge);
bool has_error(const std::vector<Finding>& findings);

}  // namespace ordercheck
