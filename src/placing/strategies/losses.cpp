// The negative log likelihood of targets. Samples can be sharded; their sum is then a partial sum, a mean is not.
#include "placing/strategies/arguments.h"
#include "placing/strategies/strategy.h"

namespace ordercheck::placing {
namespace {

constexpr std::int64_t kNone = 0, kSum = 2;  // at::Reduction

// log-probabilities [samples, classes] and targets [samples]; the loss and the summed weight.
std::optional<std::vector<AxisRule>> nll_forward_rules(const OperatorShapes& shapes) {
  if (shapes.operands.size() != 2 || shapes.results.size() != 2 || shapes.operands[0].size() != 2) return std::nullopt;
  std::vector<AxisRule> rules{{.operands = {replicate(), replicate()}, .results = {replicate(), replicate()}}};
  const auto reduction = int_argument(shapes.node, 3);
  if (reduction == kSum) rules.push_back({.operands = {shard(0), shard(0)}, .results = {partial(), partial()}});
  return rules;
}

// gradient, log-probabilities, targets, summed weight
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

}  // namespace ordercheck::placing
