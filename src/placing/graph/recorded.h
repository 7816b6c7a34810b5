// A recorded graph (parity/graph_record.h) as a joint graph.
#pragma once

#include "base/result.h"
#include "parity/graph_record.h"
#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// Records keep no dtypes: every value is taken to have `element_bytes` an element. Nor do they say whose a gradient is: the last ones are
// those of the parameters, in order; those before belong to the inputs of their shapes, in order, and it is an error where that leaves a
// choice. Values that are read and made by nobody are an error too.
Result<JointGraph> joint_graph_of(const GraphRecord& record, int element_bytes);

// Arguments as a record prints them, one each: "%1, [2, 3], None" are three.
std::vector<std::string> split_arguments(const std::string& text);

}  // namespace ordercheck::placing
