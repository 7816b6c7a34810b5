// Computes which items of a stack must be applied before which, by the order rules.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rules/check.h"
#include "stack/stack.h"

namespace ordercheck {

// The strength of what an order rule requires: error first, then advice about the target, then advice about other engines or
// versions.
enum class Strength { error, advice_that_holds, advice_about_others };

struct Precedence {
  std::size_t before = 0;  // item indices in the stack
  std::size_t after = 0;
  Strength strength = Strength::error;
  std::size_t page = 0;  // index in the judge's rules
};

// The precedences of a stack's items. Contains those of all rules of severity error, even if they contradict each other. If
// they do not, also contains those of advice, stronger first, unless one contradicts the earlier ones. Two items that both
// match both patterns of a rule get none.
class Precedences {
 public:
  Precedences(const Stack& stack, const Judge& judge);

  const std::vector<Precedence>& kept() const { return kept_; }
  bool are_contradictory() const { return contradictory_; }

 private:
  void keep(const Precedence& one);
  bool leads(std::size_t from, std::size_t to) const { return reach_[from * items_ + to] != 0; }

  std::size_t items_;
  std::vector<Precedence> kept_;
  std::vector<char> reach_;  // items by items: whether kept precedences lead from one to the other
  bool contradictory_ = false;
};

// Orders items by the precedences and keeps the stack's order otherwise: of the items that may come next, takes the first. The
// precedences must not contradict each other.
std::vector<std::size_t> stable_order(std::size_t items, std::span<const Precedence> precedences);

// The precedence graph of a stack: an edge leads from an item to one that must be applied later.
//
// An edge of advice that would close a cycle is left out, so only errors can contradict each other.

struct PrecedenceEdge {
  std::size_t before = 0;  // item indices in the stack
  std::size_t after = 0;
  bool is_error = false;           // some rule that requires it has severity error
  std::vector<std::string> rules;  // ids, sorted
  friend bool operator==(const PrecedenceEdge&, const PrecedenceEdge&) = default;
};

struct PrecedenceGraph {
  std::size_t items = 0;
  std::vector<PrecedenceEdge> edges;  // sorted by (before, after), without duplicates
  std::vector<std::size_t> cycle;     // items that contradicting errors put in a cycle, in cycle order; else empty
  friend bool operator==(const PrecedenceGraph&, const PrecedenceGraph&) = default;
};

PrecedenceGraph precedence_graph(const Stack& stack, const Judge& judge);

// A topological order that always takes the first item of the stack that may go next. Asserts that the graph has no cycle.
std::vector<std::size_t> stable_order(const PrecedenceGraph& graph);

// The edges that no path of other edges implies (transitive reduction; Aho, Garey and Ullman 1972). Asserts that the graph has
// no cycle.
std::vector<PrecedenceEdge> irreducible_edges(const PrecedenceGraph& graph);

}  // namespace ordercheck
