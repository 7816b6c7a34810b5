// The order of nodes in one half of a graph, and who makes and reads its values: what passes that move nodes ask and mend.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

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
