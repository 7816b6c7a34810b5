// Plans the placements of a model in the user's sizes, without ranks: its options and the way from them to a plan.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "cli/shared/question.h"
#include "record/graph_record.h"
#include "stack/stack.h"

namespace ordercheck::cli {

struct PlanOfModel {
  JobChoice job;
  std::string model;    // "" for llama
  std::string python;   // that traces the model
  std::string machine;  // a path
  std::string memory;   // "low:high", or "high"
};

void add_plan_of_model_options(CLI::App& command, PlanOfModel& choice);

// Whether any of these options was given.
bool asks_for_a_model(const PlanOfModel& choice);

// An error is one line: of the options, of the model, or of rules that allow no plan. `stack` is one item that is placed by plan.
Result<PlanRecord> plan_of_model(const Stack& stack, const PlanOfModel& choice);

// Whether the stack is one item that shards parameters in the graph, so that its modes are compared instead of planned.
bool has_modes(const Stack& stack);

// The table of the modes of such a stack, each rank with its part of the sequences.
Result<std::string> modes_of_model(const Stack& stack, const PlanOfModel& choice);

}  // namespace ordercheck::cli
