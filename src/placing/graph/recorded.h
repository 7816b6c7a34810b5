// A recorded graph (parity/graph_record.h) as a joint graph.
#pragma once

#include "base/result.h"
#include "parity/graph_record.h"
#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// Records keep no dtypes: every value is taken to have `element_bytes` an element. Gradients are paired in order: with inputs and
// parameters where there are as many as both, with parameters where there are as many as these; any other number is an error, for
// the record does not say whose they are. Values that are read and made by nobody are an error too.
Result<JointGraph> joint_graph_of(const GraphRecord& record, int element_bytes);

// Arguments as a record prints them, one each: "%1, [2, 3], None" are three.
std::vector<std::string> split_arguments(const std::string& text);

}  // namespace ordercheck::placing
