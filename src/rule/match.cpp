#include "rule/match.h"

#include <span>

#include "rule/models.h"
#include "rule/stack_match.h"

namespace ordercheck {
namespace {

// What `ask` says of the catalogue of this rule alone.
template <class Ask>
auto of_rule(const Rule& rule, const Stack& stack, const Job& job, Ask ask) {
  const Catalogue alone(std::span(&rule, 1));
  const ConditionValues values = values_of(job);
  StackMatch match(alone, stack, values);
  return ask(match);
}

}  // namespace

Job job_of(const Witness& witness) {
  Job job(witness.ranks, sizes_of_model(witness.model));
  if (witness.accumulation) job.sizes["microbatches"] = job.sizes["accumulation"] = *witness.accumulation;
  return job;
}

std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.firings(0); });
}

std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.demands(0); });
}

std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.commuting_pairs(0); });
}

}  // namespace ordercheck
