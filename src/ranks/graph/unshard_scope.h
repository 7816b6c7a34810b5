// The operators by which a rank makes the whole of a parameter out of the piece that it holds, told from all others: a graph that is
// recorded meanwhile has them marked (Node::unshards), with the tag by which its partition decides whether backward keeps the whole
// or makes it again. That is what resharding after forward is to a graph, after torchtitan's SimpleFSDP.
//
// Thread bound; the innermost scope counts.
#pragma once

#include <optional>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

class UnshardScope {
 public:
  explicit UnshardScope(CheckpointPolicy policy);
  ~UnshardScope();
  UnshardScope(const UnshardScope&) = delete;

 private:
  std::optional<CheckpointPolicy> outer_;
};

// The innermost scope's tag; nothing outside.
std::optional<CheckpointPolicy> unsharding_now();

}  // namespace ordercheck::ranks
