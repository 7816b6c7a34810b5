// Tracks which operators of a step run in regions that `compile` was applied to, and which of these run from captured graphs.
// The counters need both, to show how much of a step is compiled.
//
// An operator of forward belongs to a compiled region if a CompiledScope is alive. One of backward belongs if its autograd node
// was created in such a scope, which the node's sequence number shows. A GraphRun surrounds the operators of a graph's replay.
//
// Thread bound: applies to the rank of the constructing thread. Outside a rank it does nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ordercheck::ranks {

// One per rank; cleared every step.
class CompiledWork {
 public:
  void enter_scope();
  void leave_scope();
  void enter_graph() { ++graphs_; }
  void leave_graph() { --graphs_; }
  void forget_nodes() { made_.clear(); }  // call before each step

  bool in_graph() const { return graphs_ > 0; }
  bool in_scope() const;  // true in forward, recomputation or backward of a compiled region

 private:
  int scopes_ = 0;
  int graphs_ = 0;
  std::uint64_t first_ = 0;  // sequence number at which the outermost scope began
  // Sequence numbers of autograd nodes created in scopes, as half-open ranges.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> made_;
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
