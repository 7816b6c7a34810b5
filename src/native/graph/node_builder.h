// Builds graph nodes for passes, and provides value uses and node ordering.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

class NodeBuilder {
 public:
  // New nodes copy the tags of `like`, except its bucket.
  NodeBuilder(Graph& graph, const Node& like) : graph_(graph), like_(like) {}

  // Each appends a node to `made` and returns the value of its result: the existing value `as` if given, else a new one.
  // `sizes` are those of the result.
  ValueId view(ValueId x, std::vector<int64_t> sizes, ValueId as = kNoValue);
  ValueId slice(ValueId x, int64_t dim, int64_t start, int64_t length);
  ValueId copy(ValueId x);  // contiguous
  ValueId cat(const std::vector<ValueId>& parts, int64_t dim);
  ValueId gather(ValueId x, int64_t ranks, const std::string& group);          // along dim 0
  ValueId reduce_scatter(ValueId x, int64_t ranks, const std::string& group);  // along dim 0
  ValueId wait(ValueId x);

  std::vector<Node> made;

 private:
  ValueId add(const char* op, const char* overload, std::vector<Argument> arguments, std::vector<int64_t> sizes, bool is_view,
              ValueId as, at::ScalarType dtype);

  Graph& graph_;
  const Node& like_;
};

// Which node of a node list (a graph's forward or backward) makes each value, and which nodes read it, as positions in the
// list. Invalid after the list changes.
class ValueUses {
 public:
  explicit ValueUses(const std::vector<Node>& nodes);
  std::optional<std::size_t> maker(ValueId id) const;         // nullopt if no node of the list makes it
  const std::vector<std::size_t>& readers(ValueId id) const;  // ascending; a node that reads it twice is listed twice

 private:
  std::unordered_map<ValueId, std::size_t> makers_;
  std::unordered_map<ValueId, std::vector<std::size_t>> readers_;
  std::vector<std::size_t> none_;
};

// Restores a valid execution order after a pass changed operands: a node that comes after its reader is moved right before it;
// all other nodes keep their order. Throws std::logic_error for a cycle.
void put_makers_first(std::vector<Node>& nodes);

}  // namespace ordercheck::ranks
