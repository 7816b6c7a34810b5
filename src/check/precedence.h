// Which items of a stack go before which: what order pages demand of it, as far as that can all be kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

// Errors before advice; of advice, that which holds for the target before that which was shown for others.
enum class Strength { error, advice_that_holds, advice_about_others };

struct Precedence {
  std::size_t before = 0;  // items of the stack, by index
  std::size_t after = 0;
  Strength strength = Strength::error;
  std::size_t page = 0;  // of the judge
};

// Every demand of an error, whether or not they contradict each other. Where they do not, then every advice, the stronger first,
// that contradicts none so far. Of two items that may each play both parts no page demands an order: that is a clash.
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
  std::vector<char> reach_;  // items by items: whether what is kept leads from one to the other
  bool contradictory_ = false;
};

// Items as they stand wherever nothing orders them: of those that may come next, the first of the stack. The precedences
// contradict each other nowhere.
std::vector<std::size_t> stable_order(std::size_t items, std::span<const Precedence> precedences);

// The precedence graph of a stack: its items, and an edge from each that has to be applied before another.
//
// Edges come from order rules in three strengths: rules that are errors for the target, then advice that holds for it,
// then advice that is about somebody else. A weaker edge that would close a cycle with stronger ones is left out, so
// only errors among themselves can contradict each other. Plain values outside; Boost.Graph inside the source only.

struct PrecedenceEdge {
  std::size_t before = 0;  // items of the stack, by index
  std::size_t after = 0;
  bool is_error = false;           // some rule behind it is an error for the target
  std::vector<std::string> rules;  // ids, sorted
  friend bool operator==(const PrecedenceEdge&, const PrecedenceEdge&) = default;
};

struct PrecedenceGraph {
  std::size_t items = 0;
  std::vector<PrecedenceEdge> edges;  // sorted by (before, after), each pair once
  std::vector<std::size_t> cycle;     // items of one contradiction among errors, in order round the cycle; or empty
  friend bool operator==(const PrecedenceGraph&, const PrecedenceGraph&) = default;
};

PrecedenceGraph precedence_graph(const Stack& stack, const Judge& judge);

// A topological order: of the items that may go next, always the one that stood first in the stack. The graph must have
// no cycle (asserted).
std::vector<std::size_t> stable_order(const PrecedenceGraph& graph);

// The edges that no path of other edges implies (transitive reduction; Aho, Garey and Ullman 1972). No cycle (asserted).
std::vector<PrecedenceEdge> irreducible_edges(const PrecedenceGraph& graph);

}  // namespace ordercheck
