// New nodes for a pass: operators over values of a graph, whose results are new values or take a value's place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

class NodeBuilder {
 public:
  // What is made carries what `like` is tagged with, but for its bucket.
  NodeBuilder(Graph& graph, const Node& like) : graph_(graph), like_(like) {}

  // Each appends a node to `made` and returns its result, which is `as` where one is given. Sizes are those of the result.
  ValueId view(ValueId x, std::vector<int64_t> sizes, ValueId as = kNoValue);
  ValueId slice(ValueId x, int64_t dim, int64_t start, int64_t length);
  ValueId copy(ValueId x);  // contiguous
  ValueId cat(const std::vector<ValueId>& parts, int64_t dim);
  ValueId gather(ValueId x, int64_t ranks, const std::string& group);          // along the first dim
  ValueId reduce_scatter(ValueId x, int64_t ranks, const std::string& group);  // the same
  ValueId wait(ValueId x);

  std::vector<Node> made;

 private:
  ValueId add(const char* op, const char* overload, std::vector<Argument> arguments, std::vector<int64_t> sizes, bool is_view,
              ValueId as, at::ScalarType dtype);

  Graph& graph_;
  const Node& like_;
};

// The order of nodes in one half of a graph, and who makes and reads its values: what passes that move nodes ask and mend.

// Where values of a list of nodes are made and read, by place in the list. Valid until the list changes.
class ValueUses {
 public:
  explicit ValueUses(const std::vector<Node>& nodes);
  std::optional<std::size_t> maker(ValueId id) const;         // none: handed in
  const std::vector<std::size_t>& readers(ValueId id) const;  // ascending; a node that reads it twice is named twice

 private:
  std::unordered_map<ValueId, std::size_t> makers_;
  std::unordered_map<ValueId, std::vector<std::size_t>> readers_;
  std::vector<std::size_t> none_;
};

// Moves each node that reads what a later one makes: what it needs comes right before it, in the order that it was in. All else stays.
// Throws std::logic_error where nodes read each other in a circle.
void put_makers_first(std::vector<Node>& nodes);

}  // namespace ordercheck::ranks
