// The precedence graph of a stack: its items, and an edge from each that has to be applied before another.
//
// Edges come from order rules in three strengths: rules that are errors for the target, then advice that holds for it,
// then advice that is about somebody else. A weaker edge that would close a cycle with stronger ones is left out, so
// only errors among themselves can contradict each other. Plain values outside; Boost.Graph inside the source only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

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
