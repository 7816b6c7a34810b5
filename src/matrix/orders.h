// Enumerates orders of transforms and degrees, legal or not. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "record/messages.h"
#include "rules/check.h"
#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// All stacks with a mesh of exactly `ranks` ranks: each subset of `names`, each permutation, each assignment of degrees of at
// least 2 to its mesh axes. For one rank: the subsets without a mesh axis. Unique, sorted by their text.
std::vector<Stack> orders(const std::vector<std::string>& names, int ranks);

// Every permutation of exactly these items, with every assignment of degrees of at least 2 with product `ranks`. Empty if the
// items cannot fill that many ranks. Sorted by their text.
std::vector<Stack> orders_of_set(const Stack& items, int ranks);

// Every permutation of these items with their degrees. Unique, sorted by their text.
std::vector<Stack> permutations_of(const Stack& stack);

// Inserts `item` at every position of `stack`, including the end.
std::vector<Stack> at_every_position(const Stack& stack, const Item& item);

// Sets the default degree of every item that has no degree.
Stack with_degrees(Stack stack);

// Checks stacks by rule pages only, without evidence, to plan a matrix. With evidence, the plan would depend on its own
// earlier runs. Pages with contradicting citations count as well, because the planned runs decide them.

class PagesAlone {
 public:
  PagesAlone(const std::vector<Rule>& rules, const Hello& hello);
  PagesAlone(const PagesAlone&) = delete;  // judge_ refers to the other members
  PagesAlone& operator=(const PagesAlone&) = delete;

  const Judge& judge() const { return judge_; }
  bool has_error(const Stack& stack) const;

 private:
  const std::vector<Rule> rules_;
  const std::vector<Observation> no_runs_;
  const Judge judge_;
};

}  // namespace ordercheck
