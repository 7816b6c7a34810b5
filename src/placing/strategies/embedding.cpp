// Rows of a table by index, and the sum of gradients into these rows. A table sharded along its rows is not offered: each rank would
// have to leave out the indices of others, which the operator alone does not.
#include "placing/strategies/arguments.h"
#include "placing/strategies/strategy.h"

namespace ordercheck::placing {
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
  // Gradients scaled by how often a row is taken need all indices on every rank.
  if (shapes.node.op == "aten::embedding_dense_backward" && bool_argument(shapes.node, 4) == false)
    return scatter_rules(index_dims);
  return std::nullopt;
}

}  // namespace ordercheck::placing
