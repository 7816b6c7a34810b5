// Scaled dot product attention: samples are independent, and heads are. Where keys have fewer heads than queries, a shard of heads
// needs whole groups, so heads are split evenly or not at all.
#include "placing/strategies/strategy.h"

namespace ordercheck::placing {
namespace {

// Query, key, value, output and their gradients have samples and heads in front, and so has the log of the sums.
std::vector<AxisRule> heads_and_samples(const OperatorShapes& shapes) {
  std::vector<AxisRule> rules;
  for (const Placement each : {replicate(), shard(0), shard(1)}) {
    rules.push_back({.operands = std::vector(shapes.operands.size(), each),
                     .results = std::vector(shapes.results.size(), each),
                     .even = each == shard(1)});
  }
  return rules;
}

bool has_heads(const std::vector<Shape>& all) {
  for (const Shape& each : all) {
    if (each.size() < 3) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<AxisRule>> attention_rules(const OperatorShapes& shapes) {
  const std::string& op = shapes.node.op;
  const bool is_forward = op == "aten::_scaled_dot_product_flash_attention_for_cpu";
  const bool is_backward = op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  // A mask may have no samples or heads; one is not placed.
  const std::size_t operands = is_forward ? 3 : 6;
  if (!(is_forward || is_backward) || shapes.operands.size() != operands) return std::nullopt;
  if (!has_heads(shapes.operands) || !has_heads(shapes.results)) return std::nullopt;
  return heads_and_samples(shapes);
}

}  // namespace ordercheck::placing
