// What is different between two stacks, item by item and pair by pair.
#pragma once

#include <string>
#include <vector>

#include "check/pair.h"

namespace ordercheck {

// The same transform on both sides, with another degree, mode, option or scope.
struct ItemChange {
  Item left, right;
  friend bool operator==(const ItemChange&, const ItemChange&) = default;
};

// Two transforms of both stacks, in another order. Items as the left stack has them.
struct Swap {
  Item first, second;  // on the left `first` is applied before `second`
  PairAnswer left;     // of first before second
  PairAnswer right;    // of second before first
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
  std::vector<Swap> swapped;     // in the order of the left stack
  std::vector<AxisChange> axes;  // in the order of the mesh
  int ranks_left = 1, ranks_right = 1;
};

// An item answers to its partner (partners.h).
StackChanges changes_between(const Stack& left, const Stack& right, const Judge& judge);

// A line a change: "swapped  tp before ac (yes) became ac before tp (no): ORD-003 because ... [...]"; or that nothing is.
std::string render_text(const StackChanges& changes, const Judge& judge);

}  // namespace ordercheck
