// What part of a step's work belongs to what was handed to a compiler, and what part of that its graphs do.
//
// Forward: while a CompiledScope lives. Backward: the nodes of autograd that were made meanwhile, known by their sequence
// numbers. A GraphRun is around the operators of a graph.
//
// Thread bound, as the rank is: of the rank that the constructing thread runs. Outside a rank it does nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ordercheck::ranks {

// A rank's own; emptied with every step.
class CompiledWork {
 public:
  void enter_scope();
  void leave_scope();
  void enter_graph() { ++graphs_; }
  void leave_graph() { --graphs_; }
  void forget_nodes() { made_.clear(); }

  bool in_graph() const { return graphs_ > 0; }
  bool in_scope() const;  // now: in forward, in a recomputation or in the backward of what a scope left

 private:
  int scopes_ = 0;
  int graphs_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> made_;  // sequence numbers, the end excluded
};

class CompiledScope {
 public:
  CompiledScope();
  ~CompiledScope();
  CompiledScope(const CompiledScope&) = delete;

 private:
  CompiledWork* work_;
};

class GraphRun {
 public:
  GraphRun();
  ~GraphRun();
  GraphRun(const GraphRun&) = delete;

 private:
  CompiledWork* work_;
};

}  // namespace ordercheck::ranks
