// Converts a captured graph of a run's record (record/graph_record.h) to a JointGraph for placement planning.
#pragma once

#include "base/result.h"
#include "graph/joint_graph.h"
#include "record/graph_record.h"

namespace ordercheck::placing {

// Records do not say whose gradients the backward returns. The last gradients are assigned to the parameters in order, the earlier ones to inputs of the same shape in
// order. An error if that is ambiguous, or if a value that is read has no producer.
Result<JointGraph> joint_graph_of(const GraphRecord& record);

// Splits the arguments of a record: "%1, [2, 3], None" are three.
std::vector<std::string> split_arguments(const std::string& text);

}  // namespace ordercheck::placing
