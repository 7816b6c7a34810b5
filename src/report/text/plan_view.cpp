#include "report/text/plan_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/wording.h"
#include "record/record_codec.h"

namespace ordercheck {
namespace {

constexpr int kNameWidth = 46, kShapeWidth = 14, kPlaceWidth = 34;
constexpr double kMicrosecond = 1000;

bool moves(const PlanOperandRecord& operand) { return operand.source != operand.wanted; }

bool is_parameter(const PlanNodeRecord& node) { return !node.parameter.empty(); }

std::string shape_of(const PlanNodeRecord& node) { return fmt::format("[{}]", fmt::join(node.shape, "x")); }

std::string places_of(const PlanNodeRecord& node) {
  std::vector<std::string> wanted;
  for (const PlanOperandRecord& operand : node.operands) wanted.push_back(operand.wanted);
  std::string results = fmt::format("{}", fmt::join(node.results, ", "));
  if (wanted.empty()) return results;
  const std::string taken = fmt::format("{}", fmt::join(wanted, ", "));
  return results.empty() ? taken : fmt::format("{} -> {}", taken, results);
}

std::string microseconds(std::int64_t ns) { return fmt::format("{:.1f} us", static_cast<double>(ns) / kMicrosecond); }
std::string line_of(const PlanRecord& plan, const PlanNodeRecord& node) {
  const std::string name = is_parameter(node) ? node.parameter : node.name;
  std::string line = fmt::format("  {:<{}} {:<{}} {}", name, kNameWidth, shape_of(node), kShapeWidth, places_of(node));
  if (node.run_ns > 0)
    line = fmt::format("  {:<{}} {:<{}} {:<{}} {}", name, kNameWidth, shape_of(node), kShapeWidth, places_of(node), kPlaceWidth,
                       microseconds(node.run_ns));
  line += '\n';
  for (const PlanOperandRecord& operand : node.operands) {
    if (!moves(operand)) continue;
    const PlanNodeRecord& made = plan.nodes[static_cast<std::size_t>(operand.node)];
    line += fmt::format("    {}: {} to {}, {}\n", is_parameter(made) ? made.parameter : made.name, operand.source,
                        operand.wanted, microseconds(operand.move_ns));
  }
  return line;
}

std::string half(const PlanRecord& plan, bool backward) {
  std::string text = backward ? "backward\n" : "forward\n";
  for (const PlanNodeRecord& node : plan.nodes) {
    if (node.backward == backward && !is_parameter(node)) text += line_of(plan, node);
  }
  return text;
}

std::string drawn_half(const PlanRecord& plan, bool backward, std::string& edges) {
  const char* name = backward ? "backward" : "forward";
  std::string text = fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", name, name);
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    const PlanNodeRecord& node = plan.nodes[at];
    if (node.backward != backward) continue;
    text += fmt::format("    n{} [label=\"{}\\n{} {}\"];\n", at, is_parameter(node) ? node.parameter : node.name,
                        shape_of(node), places_of(node));
    for (const PlanOperandRecord& operand : node.operands)
      edges += moves(operand) ? fmt::format("  n{} -> n{} [penwidth=3, label=\"{} to {}\"];\n", operand.node, at,
                                            operand.source, operand.wanted)
                              : fmt::format("  n{} -> n{};\n", operand.node, at);
  }
  return text + "  }\n";
}

}  // namespace

std::string render_plan_nodes(const PlanRecord& plan) {
  std::string text = "parameters\n";
  for (const PlanNodeRecord& node : plan.nodes) {
    if (is_parameter(node)) text += line_of(plan, node);
  }
  return text + half(plan, false) + half(plan, true);
}

std::string render_plan_dot(const PlanRecord& plan, const std::string& title) {
  std::string edges;
  std::string text = fmt::format("digraph ordercheck {{\n  label=\"{}\";\n  labelloc=t;\n  node [shape=box];\n", title);
  text += drawn_half(plan, false, edges);
  text += drawn_half(plan, true, edges);
  return text + edges + "}\n";
}

std::string render_plan_json(const PlanRecord& plan, const std::string& stack) {
  nlohmann::ordered_json whole{{"schema", "ordercheck/plan/1"}, {"stack", stack}};
  const nlohmann::json fields = json_of(plan);
  for (const auto& [key, value] : fields.items()) whole[key] = value;
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
