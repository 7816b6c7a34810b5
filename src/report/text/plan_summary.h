// Renders a placement plan on one screen: costs, memory, traffic, what each mesh axis splits, and the dearest redistributions.
#pragma once

#include <string>

#include "record/graph_record.h"

namespace ordercheck {

// Names of blocks that differ in a number alone are one line: "layers.*.attention.wq.weight".
//
// - memory: the parameters of a rank, their gradients, and what backward reads of forward without checkpointing. Values made of
//   parameters alone do not count: they can be gathered again.
// - sent: what a rank sends in one step, by a ring.
// - what an axis splits is that of the first operator that reads the parameter: tokens, features, or another dim of its result
std::string render_plan_summary(const PlanRecord& plan, const std::string& title);

}  // namespace ordercheck
