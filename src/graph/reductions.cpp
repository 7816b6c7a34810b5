// Lists sharding rules of sum and mean over dims. A sum over a sharded dim is a partial sum. A mean would be a partial average,
// so it needs its dims whole; it also rounds, so it preserves no partial sums.
#include <algorithm>
#include <set>

#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

AxisRule reduced(Placement operand, Placement result) { return {.operands = {operand}, .results = {result}}; }

// None and [] reduce all dims.
std::optional<std::set<int>> reduced_dims(const OperatorShapes& shapes) {
  const std::size_t rank = shapes.operands[0].size();
  std::set<int> dims;
  const auto listed = ints_argument(shapes.node, 1);
  if (shapes.node.arguments.size() > 1 && !listed && shapes.node.arguments[1] != "None") return std::nullopt;
  for (const std::int64_t each : listed.value_or(std::vector<std::int64_t>{})) {
    const auto dim = dim_of(each, rank);
    if (!dim) return std::nullopt;
    dims.insert(*dim);
  }
  for (int dim = 0; dims.empty() && !listed && dim < static_cast<int>(rank); ++dim) dims.insert(dim);
  if (listed && listed->empty()) {
    for (int dim = 0; dim < static_cast<int>(rank); ++dim) dims.insert(dim);
  }
  return dims;
}

}  // namespace

std::optional<std::vector<AxisRule>> reduction_rules(const OperatorShapes& shapes) {
  const bool is_sum = shapes.node.op == "aten::sum", is_mean = shapes.node.op == "aten::mean";
  if (!(is_sum || is_mean) || shapes.operands.size() != 1 || shapes.results.size() != 1) return std::nullopt;
  const auto dims = reduced_dims(shapes);
  if (!dims) return std::nullopt;
  const std::size_t rank = shapes.operands[0].size();
  // keepdim leaves a dim of size 1 for every reduced one.
  const bool keeps = shapes.results[0].size() == rank && !dims->empty();
  std::vector<AxisRule> rules{reduced(replicate(), replicate())};
  if (is_sum) rules.push_back(reduced(partial(), partial()));
  int place = 0;
  for (int dim = 0; dim < static_cast<int>(rank); ++dim) {
    if (dims->contains(dim)) {
      if (is_sum) rules.push_back(reduced(shard(dim), partial()));
      place += keeps ? 1 : 0;
    } else {
      rules.push_back(reduced(shard(dim), shard(place++)));
    }
  }
  return rules;
}

}  // namespace ordercheck::placing
