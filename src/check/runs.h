// What committed runs of the version in question showed of a stack.
#pragma once

#include <optional>
#include <string>

#include "check/check.h"

namespace ordercheck {

struct StackRun {
  const Observation* run = nullptr;  // of the judge
  Stack stack;                       // as it was run
  bool usual_backend = false;        // the stack has `compile` without a backend, and the usual one compiled
  bool own_backend = false;          // likewise, and what the engine compiles with by itself did
};

// The same items, trained alike; where a degree was written, it is that of the run.
bool is_run_of(const Stack& ran, const Stack& asked);

// The run, by the target's engine and version and of that model, unless the judge's job is of another kind (experts, several
// microbatches, what few models have), of the stack as it is or else with other degrees; where it holds
// `compile` without a backend, one under the usual backend first, but a lost effect before what its code may hide. Nothing where there is none.
std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model);

// Of a job that asks for what few models have (rule/job.h), the run of a model that has it.
std::optional<StackRun> run_of_rare_model(const Stack& stack, const Judge& judge, const std::string& model);

// Of a release that ran on several releases of PyTorch " on torch 2.15.0", and where this very case ended otherwise on another
// " on torch 2.15.0, differs on torch 2.11.0"; "" elsewhere.
std::string on_platforms(const Observation& run, const Judge& judge);
bool differs_between_platforms(const Observation& run, const Judge& judge);

// The rule itself pins these items as right, or the stack ran equal, whatever its degrees (of a rule about sizes with these), and what
// the rule says is about others, or it pins what ran as right. Such a rule is not against the stack.
bool is_answered(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge);

// The rules about sizes that the model which every engine runs breaks in this stack.
std::vector<std::string> sizes_that_do_not_fit(const Stack& ran, const Judge& judge);

// The run of the stack shows a harm; a run of another kind of model counts too, and where that model was not run, another's. One with other degrees counts, unless it has too
// few ranks, layers or the like for them: then a rule about sizes fires on it.
bool is_shown_wrong(const Stack& stack, const Judge& judge, const std::string& model);

// "equal when run on pytorch 2.15.0", "differs when run on pytorch 2.15.0 as tp=2,compile=inductor", "not run on
// pytorch 2.15.0". Where that model was not run, of another that has what the job has: "equal when run on mine 1.0 of model moe".
// `sizes_matter`: a run with other degrees says nothing.
std::string runs_in_words(const Stack& stack, const Judge& judge, const std::string& model, bool sizes_matter = false);

}  // namespace ordercheck
