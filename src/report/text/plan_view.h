// A plan of placements for people: node by node with what it costs, and as a picture in Graphviz's language.
#pragma once

#include <string>

#include "parity/graph_record.h"

namespace ordercheck {

// What all of it costs, then parameters, and a line for every node: where it takes its operands, where it leaves its results. Below it a
// line for every operand that is redistributed.
std::string render_plan_text(const PlanRecord& plan, const std::string& title);

// Forward left, backward right; an edge on which a value is redistributed is thick and says how. `title` stands above.
std::string render_plan_dot(const PlanRecord& plan, const std::string& title);

// A plan of placements as JSON.

std::string render_plan_json(const PlanRecord& plan, const std::string& stack);

}  // namespace ordercheck
