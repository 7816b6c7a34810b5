// Lists sharding rules of matrix products: shard a free dim, or shard the contracted dim for a partial-sum result.
#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

AxisRule product(Placement left, Placement right, Placement result) { return {.operands = {left, right}, .results = {result}}; }

// For [batch...,m,k] and [batch...,k,n] with `batch` leading dims.
std::vector<AxisRule> product_rules(int batch) {
  std::vector<AxisRule> rules{product(replicate(), replicate(), replicate()), product(shard(batch), replicate(), shard(batch)),
                              product(replicate(), shard(batch + 1), shard(batch + 1)),
                              product(shard(batch + 1), shard(batch), partial())};
  for (int dim = 0; dim < batch; ++dim) rules.push_back(product(shard(dim), shard(dim), shard(dim)));
  return rules;
}

// addmm adds its first operand once, so the product must not be a partial sum. The operand broadcasts from the last dim.
std::vector<AxisRule> added_product_rules(const Shape& added) {
  std::vector<AxisRule> rules;
  for (const AxisRule& rule : product_rules(0)) {
    const Placement result = rule.results[0];
    if (result.kind == Placement::Kind::partial) continue;
    Placement own = replicate();
    if (result.kind == Placement::Kind::shard) {
      const int dim = result.dim - (2 - static_cast<int>(added.size()));
      if (dim >= 0 && added[dim] != 1) own = shard(dim);
    }
    rules.push_back({.operands = {own, rule.operands[0], rule.operands[1]}, .results = {result}});
  }
  return rules;
}

}  // namespace

std::optional<std::vector<AxisRule>> contraction_rules(const OperatorShapes& shapes) {
  const std::string& op = shapes.node.op;
  if (op == "aten::mm" && shapes.operands.size() == 2) return product_rules(0);
  if (op == "aten::bmm" && shapes.operands.size() == 2) return product_rules(1);
  if (op == "aten::addmm" && shapes.operands.size() == 3) return added_product_rules(shapes.operands[0]);
  return std::nullopt;
}

// Lists rules of scaled dot product attention: samples and heads are independent. With fewer key heads than query heads a shard
// needs whole groups, so heads must be split evenly.
namespace {

// Query, key, value, output, their gradients and the logsumexp begin with the dims of samples and heads.
std::vector<AxisRule> heads_and_samples(const OperatorShapes& shapes) {
  std::vector<AxisRule> rules;
  for (const Placement each : {replicate(), shard(0), shard(1)}) {
    rules.push_back({.operands = std::vector(shapes.operands.size(), each),
                     .results = std::vector(shapes.results.size(), each),
                     .even = each == shard(1)});
  }
  return rules;
}

// A mask [samples, heads, queries, keys] may lack leading dims, or have one element in them.
Placement of_mask(const Shape& mask, const Placement& others) {
  if (others.kind != Placement::Kind::shard) return replicate();
  const int dim = static_cast<int>(mask.size()) - 4 + others.dim;
  return dim < 0 || mask[dim] == 1 ? replicate() : shard(dim);
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
  const std::size_t operands = is_forward ? 3 : 6, given = shapes.operands.size();
  if (!(is_forward || is_backward) || (given != operands && given != operands + 1)) return std::nullopt;
  OperatorShapes all = shapes;
  std::optional<Shape> mask;
  if (given > operands) {
    mask = all.operands.back();
    all.operands.pop_back();
  }
  if (!has_heads(all.operands) || !has_heads(all.results)) return std::nullopt;
  std::vector<AxisRule> rules = heads_and_samples(all);
  for (AxisRule& rule : rules)
    if (mask) rule.operands.push_back(of_mask(*mask, rule.results.front()));
  return rules;
}

}  // namespace ordercheck::placing
