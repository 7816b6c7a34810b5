// Renders a placement plan as text with the cost of each node, in Graphviz's language and as JSON.
#pragma once

#include <string>

#include "record/graph_record.h"

namespace ordercheck {

// The parameters, and one line per node with the placements of its operands and results. An indented line follows for every
// operand that is redistributed.
std::string render_plan_nodes(const PlanRecord& plan);

// Forward left, backward right. Thick edges with a label are redistributions. `title` is at the top.
std::string render_plan_dot(const PlanRecord& plan, const std::string& title);

// The plan as JSON.

std::string render_plan_json(const PlanRecord& plan, const std::string& stack);

}  // namespace ordercheck
