// Every order of every set of transforms, with every way to spread ranks over them. Pure enumeration; no rule is asked.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "protocol/messages.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// All stacks whose mesh is exactly `ranks` ranks: each subset of `names`, each permutation, each assignment of degrees of
// at least 2 to its mesh axes. On one rank: the subsets without a mesh axis. Sorted by how they print, each once.
std::vector<Stack> orders(const std::vector<std::string>& names, int ranks);

// Every permutation of exactly these items, with every assignment of degrees of at least 2 whose product is `ranks`; none
// where the items cannot fill that many ranks. Sorted by how they print.
std::vector<Stack> orders_of_set(const Stack& items, int ranks);

// Every permutation of these items, with their degrees. Sorted by how they print, each once.
std::vector<Stack> permutations_of(const Stack& stack);

// `item` put before each item of `stack` and behind the last.
std::vector<Stack> at_every_position(const Stack& stack, const Item& item);

// Degrees that were not written, written as what they run as.
Stack with_degrees(Stack stack);

// The judge that a plan is made by: what pages say of an engine and version, without a run. What runs showed today must not
// change what is planned tomorrow, else recording evidence would plan other cases than were recorded. For the same reason a page
// whose citations clash is taken at its word: runs settle that, and what is planned is to show it.

class PagesAlone {
 public:
  PagesAlone(const std::vector<Rule>& rules, const Hello& hello);
  PagesAlone(const PagesAlone&) = delete;  // the judge refers to what this holds
  PagesAlone& operator=(const PagesAlone&) = delete;

  const Judge& judge() const { return judge_; }
  bool has_error(const Stack& stack) const;

 private:
  const std::vector<Rule> rules_;
  const std::vector<Observation> no_runs_;
  const Judge judge_;
};

}  // namespace ordercheck
