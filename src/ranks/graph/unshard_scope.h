// The operators by which a rank makes the whole of a parameter out of the piece that it holds, told from all others: a graph that is
// recorded meanwhile has them marked (Node::unshards), with the tag by which its partition decides whether backward keeps the whole
// or makes it again. That is what resharding after forward is to a graph, after torchtitan's SimpleFSDP.
//
// A scope also names the bucket in which a pass may send its gathers with those of other parameters.
//
// Thread bound; the innermost scope counts.
#pragma once

#include <string>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

class UnshardScope {
 public:
  explicit UnshardScope(CheckpointPolicy policy, std::string bucket = "");
  ~UnshardScope();
  UnshardScope(const UnshardScope&) = delete;

 private:
  const UnshardScope* outer_;

 public:
  const CheckpointPolicy policy;
  const std::string bucket;
};

// The innermost scope; null outside.
const UnshardScope* unsharding_now();

}  // namespace ordercheck::ranks
