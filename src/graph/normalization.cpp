// Lists sharding rules of softmax, layer norm and RMS norm: shard any dim that is not normalized.
#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

std::optional<std::vector<AxisRule>> along_others(const OperatorShapes& shapes, std::optional<int> normalized,
                                                  bool is_linear_in_first) {
  if (!normalized) return std::nullopt;
  const std::size_t count = shapes.operands.size();
  std::vector<AxisRule> rules{{.operands = std::vector(count, replicate()), .results = {replicate()}}};
  for (int dim = 0; dim < static_cast<int>(shapes.operands[0].size()); ++dim) {
    if (dim != *normalized) rules.push_back({.operands = std::vector(count, shard(dim)), .results = {shard(dim)}});
  }
  if (is_linear_in_first) {
    // Backward is linear in the gradient, its first operand.
    AxisRule rule{.operands = std::vector(count, replicate()), .results = {partial()}};
    rule.operands[0] = partial();
    rules.push_back(rule);
  }
  return rules;
}

// The number of leading dims, which the norm's shape does not list.
std::optional<int> outer_dims(const OperatorShapes& shapes, std::size_t argument) {
  const auto normalized = ints_argument(shapes.node, argument);
  if (!normalized || normalized->size() > shapes.operands[0].size()) return std::nullopt;
  return static_cast<int>(shapes.operands[0].size() - normalized->size());
}

// Shards tensors that have the outer dims; weights and biases have only the normalized ones and stay whole.
Placement with_outer(const Shape& shape, const Shape& input, int dim) {
  return shape.size() == input.size() ? shard(dim) : replicate();
}

std::optional<std::vector<AxisRule>> forward_norm_rules(const OperatorShapes& shapes) {
  const auto outer = outer_dims(shapes, 1);
  if (!outer) return std::nullopt;
  std::vector<AxisRule> rules{{.operands = std::vector(shapes.operands.size(), replicate()),
                               .results = std::vector(shapes.results.size(), replicate())}};
  for (int dim = 0; dim < *outer; ++dim) {
    AxisRule rule;
    for (const Shape& operand : shapes.operands) rule.operands.push_back(with_outer(operand, shapes.operands[0], dim));
    // Results: the output, and the mean and rstd, which have the same number of dims.
    rule.results = std::vector(shapes.results.size(), shard(dim));
    rules.push_back(rule);
  }
  return rules;
}

// Rules of a norm's backward. Gradients of weight and bias sum over the outer dims, so they are partial sums if these dims are
// sharded.
std::optional<std::vector<AxisRule>> backward_norm_rules(const OperatorShapes& shapes) {
  const auto outer = outer_dims(shapes, 2);
  if (!outer) return std::nullopt;
  std::vector<AxisRule> rules{{.operands = std::vector(shapes.operands.size(), replicate()),
                               .results = std::vector(shapes.results.size(), replicate())}};
  for (int dim = 0; dim < *outer; ++dim) {
    AxisRule rule;
    for (const Shape& operand : shapes.operands) rule.operands.push_back(with_outer(operand, shapes.operands[0], dim));
    for (const Shape& result : shapes.results)
      rule.results.push_back(result.size() == shapes.operands[0].size() ? shard(dim) : partial());
    rules.push_back(rule);
  }
  return rules;
}

}  // namespace

std::optional<std::vector<AxisRule>> normalization_rules(const OperatorShapes& shapes) {
  const std::string& op = shapes.node.op;
  if (shapes.operands.empty() || shapes.results.empty()) return std::nullopt;
  const std::size_t rank = shapes.operands[0].size();
  const auto dim = [&](std::size_t argument) { return dim_of(int_argument(shapes.node, argument), rank); };
  if (op == "aten::_softmax" || op == "aten::_log_softmax" || op == "aten::_safe_softmax")
    return along_others(shapes, dim(1), false);
  if (op == "aten::_softmax_backward_data" || op == "aten::_log_softmax_backward_data")
    return along_others(shapes, dim(2), true);
  if (op == "aten::native_layer_norm" || op == "aten::_fused_rms_norm") return forward_norm_rules(shapes);
  if (op == "aten::native_layer_norm_backward" || op == "aten::_fused_rms_norm_backward") return backward_norm_rules(shapes);
  return std::nullopt;
}

// Lists rules of the negative log likelihood. With sharded samples, a sum is a partial sum; a mean is not.
namespace {

constexpr std::int64_t kNone = 0, kSum = 2;  // at::Reduction

// Log-probabilities [samples, classes] and targets [samples]; the loss and the summed weight.
std::optional<std::vector<AxisRule>> nll_forward_rules(const OperatorShapes& shapes) {
  if (shapes.operands.size() != 2 || shapes.results.size() != 2 || shapes.operands[0].size() != 2) return std::nullopt;
  std::vector<AxisRule> rules{{.operands = {replicate(), replicate()}, .results = {replicate(), replicate()}}};
  const auto reduction = int_argument(shapes.node, 3);
  if (reduction == kSum) rules.push_back({.operands = {shard(0), shard(0)}, .results = {partial(), partial()}});
  return rules;
}

// Operands of nll_loss_backward that matter here: gradient, log-probabilities, targets, summed weight.
std::optional<std::vector<AxisRule>> nll_backward_rules(const OperatorShapes& shapes) {
  if (shapes.operands.size() != 4 || shapes.results.size() != 1 || shapes.operands[1].size() != 2) return std::nullopt;
  const auto reduction = int_argument(shapes.node, 4);
  std::vector<AxisRule> rules{{.operands = std::vector(4, replicate()), .results = {replicate()}}};
  if (reduction && *reduction != kNone)
    rules.push_back({.operands = {replicate(), shard(0), shard(0), replicate()}, .results = {shard(0)}});
  return rules;
}

}  // namespace

std::optional<std::vector<AxisRule>> loss_rules(const OperatorShapes& shapes) {
  if (shapes.node.op == "aten::nll_loss_forward") return nll_forward_rules(shapes);
  if (shapes.node.op == "aten::nll_loss_backward") return nll_backward_rules(shapes);
  return std::nullopt;
}

// Lists rules of embedding lookups and their backward. Omits sharding a table by rows: each rank would have to skip the indices
// of others, which the operator alone does not.
namespace {

AxisRule pair(Placement first, Placement second, Placement result) {
  return {.operands = {first, second}, .results = {result}};
}

std::vector<AxisRule> lookup_rules(int index_dims) {
  std::vector<AxisRule> rules{pair(replicate(), replicate(), replicate()), pair(shard(1), replicate(), shard(index_dims)),
                              pair(partial(), replicate(), partial())};
  for (int dim = 0; dim < index_dims; ++dim) rules.push_back(pair(replicate(), shard(dim), shard(dim)));
  return rules;
}

std::vector<AxisRule> scatter_rules(int index_dims) {
  std::vector<AxisRule> rules{pair(replicate(), replicate(), replicate()), pair(shard(index_dims), replicate(), shard(1)),
                              pair(partial(), replicate(), partial())};
  for (int dim = 0; dim < index_dims; ++dim) rules.push_back(pair(shard(dim), shard(dim), partial()));
  return rules;
}

}  // namespace

std::optional<std::vector<AxisRule>> embedding_rules(const OperatorShapes& shapes) {
  if (shapes.operands.size() != 2 || shapes.results.size() != 1) return std::nullopt;
  const int index_dims = static_cast<int>(shapes.operands[1].size());
  if (shapes.node.op == "aten::embedding") return lookup_rules(index_dims);
  // Scaling gradients by index frequency needs all indices on every rank.
  if (shapes.node.op == "aten::embedding_dense_backward" && bool_argument(shapes.node, 4) == false)
    return scatter_rules(index_dims);
  return std::nullopt;
}

}  // namespace ordercheck::placing
