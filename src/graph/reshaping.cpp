// Lists sharding rules of view, transpose, unsqueeze and expand. All are linear, so partial sums pass through.
#include <map>

#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

AxisRule one_to_one(Placement operand, Placement result, bool even = false) {
  return {.operands = {operand}, .results = {result}, .even = even};
}

std::vector<AxisRule> kept_whole() { return {one_to_one(replicate(), replicate()), one_to_one(partial(), partial())}; }

// The first dim of [from, to) with more than one element.
std::size_t leading(const Shape& shape, std::size_t from, std::size_t to) {
  while (from + 1 < to && shape[from] == 1) ++from;
  return from;
}

// Splits dims into groups of equal products, such as (8, 24 | 48) and (192 | 48). A shard along the leading dim of a group
// stays contiguous; a group of one dim on both sides is the same dim.
std::vector<AxisRule> view_rules(const Shape& before, const Shape& after) {
  std::vector<AxisRule> rules = kept_whole();
  std::size_t i = 0, o = 0;
  while (i < before.size() && o < after.size()) {
    const std::size_t first_in = i, first_out = o;
    std::int64_t in = before[i++], out = after[o++];
    while (in != out) {
      if (in < out) {
        if (i == before.size()) return rules;
        in *= before[i++];
      } else {
        if (o == after.size()) return rules;
        out *= after[o++];
      }
    }
    // A group of one element cannot be sharded.
    if (in == 1) continue;
    const bool is_one_dim = i - first_in == 1 && o - first_out == 1;
    const int from = static_cast<int>(leading(before, first_in, i)), to = static_cast<int>(leading(after, first_out, o));
    rules.push_back(one_to_one(shard(from), shard(to), !is_one_dim));
  }
  return rules;
}

// `source[d]` is the operand dim of result dim d, or -1.
std::vector<AxisRule> dim_rules(const std::vector<int>& source) {
  std::vector<AxisRule> rules = kept_whole();
  for (std::size_t dim = 0; dim < source.size(); ++dim) {
    if (source[dim] >= 0) rules.push_back(one_to_one(shard(source[dim]), shard(static_cast<int>(dim))));
  }
  return rules;
}

std::vector<int> same_dims(std::size_t count) {
  std::vector<int> source;
  for (std::size_t dim = 0; dim < count; ++dim) source.push_back(static_cast<int>(dim));
  return source;
}

std::optional<std::vector<AxisRule>> transpose_rules(const OperatorShapes& shapes, std::optional<int> one,
                                                     std::optional<int> other) {
  if (!one || !other) return std::nullopt;
  std::vector<int> source = same_dims(shapes.operands[0].size());
  std::swap(source[*one], source[*other]);
  return dim_rules(source);
}

std::optional<std::vector<AxisRule>> permute_rules(const OperatorShapes& shapes) {
  const auto dims = ints_argument(shapes.node, 1);
  if (!dims || dims->size() != shapes.operands[0].size()) return std::nullopt;
  std::vector<int> source;
  for (const std::int64_t each : *dims) {
    const auto dim = dim_of(each, dims->size());
    if (!dim) return std::nullopt;
    source.push_back(*dim);
  }
  return dim_rules(source);
}

// A repeated dim has no shard to take from the operand, but the result can be sharded if the operand is whole. Partial sums can
// be repeated.
std::vector<AxisRule> expand_rules(const Shape& before, const Shape& after) {
  std::vector<AxisRule> rules = kept_whole();
  const int added = static_cast<int>(after.size() - before.size());
  for (int dim = 0; dim < static_cast<int>(after.size()); ++dim) {
    const bool repeats = dim < added || (before[dim - added] == 1 && after[dim] != 1);
    if (after[dim] != 1) rules.push_back(one_to_one(repeats ? replicate() : shard(dim - added), shard(dim)));
  }
  return rules;
}

std::optional<std::vector<AxisRule>> unsqueeze_rules(const OperatorShapes& shapes) {
  const std::size_t rank = shapes.results[0].size();
  const auto at = dim_of(int_argument(shapes.node, 1), rank);
  if (!at) return std::nullopt;
  std::vector<int> source;
  for (int dim = 0; dim < static_cast<int>(rank); ++dim) source.push_back(dim == *at ? -1 : dim < *at ? dim : dim - 1);
  return dim_rules(source);
}

}  // namespace

std::optional<std::vector<AxisRule>> reshaping_rules(const OperatorShapes& shapes) {
  if (shapes.operands.size() != 1 || shapes.results.size() != 1) return std::nullopt;
  const std::string& op = shapes.node.op;
  const Shape& before = shapes.operands[0];
  const Shape& after = shapes.results[0];
  const std::size_t rank = before.size();
  // squeeze drops dims of one element: a view of the remaining shape.
  if (op == "aten::view" || op == "aten::_unsafe_view" || op == "aten::reshape" || op == "aten::squeeze" ||
      op == "aten::flatten")
    return view_rules(before, after);
  if (op == "aten::t") return rank == 2 ? transpose_rules(shapes, 0, 1) : dim_rules(same_dims(rank));
  if (op == "aten::transpose")
    return transpose_rules(shapes, dim_of(int_argument(shapes.node, 1), rank), dim_of(int_argument(shapes.node, 2), rank));
  if (op == "aten::permute") return permute_rules(shapes);
  if (op == "aten::expand") return expand_rules(before, after);
  if (op == "aten::unsqueeze") return unsqueeze_rules(shapes);
  return std::nullopt;
}

}  // namespace ordercheck::placing
