// Lists the differences of two stacks, item by item and pair by pair.
#pragma once

#include <string>
#include <vector>

#include "rules/pair_answer.h"

namespace ordercheck {

// A transform that both stacks have, with another degree, mode, option or scope.
struct ItemChange {
  Item left, right;
  friend bool operator==(const ItemChange&, const ItemChange&) = default;
};

// Two transforms that the stacks apply in opposite order, as written in the left stack.
struct Swap {
  Item first, second;  // the left stack applies `first` before `second`
  PairAnswer left;     // whether `first` may go before `second`
  PairAnswer right;    // whether `second` may go before `first`
  friend bool operator==(const Swap&, const Swap&) = default;
};

struct AxisChange {
  std::string axis;
  int left = 1;
  int right = 1;
  friend bool operator==(const AxisChange&, const AxisChange&) = default;
};

struct StackChanges {
  std::vector<Item> only_left, only_right;
  std::vector<ItemChange> changed;
  std::vector<Swap> swapped;     // in left stack order
  std::vector<AxisChange> axes;  // in mesh order
  int ranks_left = 1, ranks_right = 1;
};

// Which items correspond to each other: item_matching.h.
StackChanges changes_between(const Stack& left, const Stack& right, const Judge& judge);

// One line per change: "swapped  tp before ac (yes) became ac before tp (no): ORD-003 because ... [...]"; or a line that
// nothing changed.
std::string render_text(const StackChanges& changes, const Judge& judge);

}  // namespace ordercheck
