// Finds the committed runs of a stack on the target (engine and version).
#pragma once

#include <optional>
#include <string>

#include "rules/check.h"

namespace ordercheck {

struct StackRun {
  const Observation* run = nullptr;  // owned by the judge
  Stack stack;                       // the stack that ran
  bool usual_backend = false;        // the asked stack has compile without a backend, and ran with inductor
  bool own_backend = false;          // likewise, but the engine chose another backend
};

// Whether a run of `ran` answers for `asked`: the same items and optimizer, and equal degrees wherever `asked` writes them.
bool is_run_of(const Stack& ran, const Stack& asked);

// The run of the stack with this model on the target: with the same degrees, else with others. For compile without a backend,
// prefers a run with inductor, unless a run without code generation shows a lost effect that inductor's code hides from
// counters. Skips runs that lack a feature of the judge's job (experts, microbatches, rare flags). nullopt if there is none.
std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model);

// If the job sets a rare flag such as `frozen_embedding` (rare_flags in job.h): the run of the stack with a model that has it;
// else nullopt.
std::optional<StackRun> run_of_rare_model(const Stack& stack, const Judge& judge, const std::string& model);

// Appended to a verdict if a project's release ran on several PyTorch releases: " on torch 2.15.0", or " on torch 2.15.0,
// differs on torch 2.11.0" if the verdicts disagree; else "".
std::string on_platforms(const Observation& run, const Judge& judge);
bool differs_between_platforms(const Observation& run, const Judge& judge);

// Whether a firing rule is no reason against the stack. True if the rule's [[expect]] entry says that these items are right on
// the target. Also true if the stack ran equal, and the rule is not about the target or expects that run. For rules about
// sizes, the run must have the same degrees.
bool is_answered(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge);

// The ids of the fits rules that `ran` violates with the sizes of the engines' usual model.
std::vector<std::string> sizes_that_do_not_fit(const Stack& ran, const Judge& judge);

// Whether a committed run of the stack on the target went wrong. Also counts runs of another kind of model, and of other
// models if this one did not run. Runs with other degrees count unless these violate a fits rule, such as too few layers.
bool is_shown_wrong(const Stack& stack, const Judge& judge, const std::string& model);

// "equal when run on pytorch 2.15.0", "differs when run on pytorch 2.15.0 as tp=2,compile=inductor", "not run on pytorch
// 2.15.0". If that model did not run, uses another model with the job's features: "equal when run on mine 1.0 of model moe".
// `sizes_matter`: runs with other degrees do not count.
std::string runs_in_words(const Stack& stack, const Judge& judge, const std::string& model, bool sizes_matter = false);

}  // namespace ordercheck
