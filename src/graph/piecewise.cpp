// Lists sharding rules of operators that cut or join along one dim: slice, select, cat, split, and the backward of a cut.
// Shards any other dim; that dim only if all of it is taken.
#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

AxisRule the_same(const OperatorShapes& shapes, Placement operand, Placement result) {
  return {.operands = std::vector(shapes.operands.size(), operand), .results = std::vector(shapes.results.size(), result)};
}

// Rules that shard any dim except `cut`, a dim of an operand with `rank` dims. Dims after it are shifted by `shift` in the
// result.
std::vector<AxisRule> beside(const OperatorShapes& shapes, int rank, int cut, int shift) {
  std::vector<AxisRule> rules{the_same(shapes, replicate(), replicate()), the_same(shapes, partial(), partial())};
  for (int dim = 0; dim < rank; ++dim) {
    if (dim != cut) rules.push_back(the_same(shapes, shard(dim), shard(dim > cut ? dim + shift : dim)));
  }
  return rules;
}

std::optional<std::vector<AxisRule>> slice_rules(const OperatorShapes& shapes, std::optional<int> cut) {
  if (!cut) return std::nullopt;
  const int rank = static_cast<int>(shapes.operands[0].size());
  std::vector<AxisRule> rules = beside(shapes, rank, *cut, 0);
  if (shapes.operands[0] == shapes.results[0]) rules.push_back(the_same(shapes, shard(*cut), shard(*cut)));
  return rules;
}

// select drops the dim and its backward inserts it, so later dims shift.
std::optional<std::vector<AxisRule>> select_rules(const OperatorShapes& shapes, std::optional<int> cut) {
  if (!cut) return std::nullopt;
  return beside(shapes, static_cast<int>(shapes.operands[0].size()), *cut, -1);
}

std::vector<AxisRule> inserting_rules(const OperatorShapes& shapes, int at) {
  std::vector<AxisRule> rules{the_same(shapes, replicate(), replicate()), the_same(shapes, partial(), partial())};
  const int rank = static_cast<int>(shapes.operands[0].size());
  for (int dim = 0; dim < rank; ++dim) rules.push_back(the_same(shapes, shard(dim), shard(dim < at ? dim : dim + 1)));
  return rules;
}

// cat passes over operands of shape [0], such as an empty cache: they are whole.
std::optional<std::vector<AxisRule>> cat_rules(const OperatorShapes& shapes) {
  const std::size_t rank = shapes.results[0].size();
  const auto cut = dim_of(int_argument(shapes.node, 1), rank);
  if (!cut) return std::nullopt;
  std::vector<AxisRule> rules = beside(shapes, static_cast<int>(rank), *cut, 0);
  for (AxisRule& rule : rules)
    for (std::size_t at = 0; at < shapes.operands.size(); ++at)
      if (shapes.operands[at] == Shape{0}) rule.operands[at] = replicate();
  return rules;
}

}  // namespace

std::optional<std::vector<AxisRule>> piecewise_rules(const OperatorShapes& shapes) {
  if (shapes.operands.empty() || shapes.results.empty()) return std::nullopt;
  const std::string& op = shapes.node.op;
  const std::size_t rank = shapes.operands[0].size();
  const auto dim = [&](std::size_t argument, std::size_t of) { return dim_of(int_argument(shapes.node, argument), of); };
  if (op == "aten::slice") return slice_rules(shapes, dim(1, rank));
  if (op == "aten::slice_backward") return slice_rules(shapes, dim(2, rank));
  if (op == "aten::select") return select_rules(shapes, dim(1, rank));
  if (op == "aten::cat") return cat_rules(shapes);
  if (op == "aten::split" || op == "aten::split_with_sizes") {
    const auto cut = dim(2, rank);
    if (!cut) return std::nullopt;
    return beside(shapes, static_cast<int>(rank), *cut, 0);
  }
  const std::size_t inserted = op == "aten::stack" ? 1 : op == "aten::select_backward" ? 2 : 0;
  if (inserted == 0) return std::nullopt;
  const auto at = dim(inserted, shapes.results[0].size());
  if (!at) return std::nullopt;
  return inserting_rules(shapes, *at);
}

}  // namespace ordercheck::placing
