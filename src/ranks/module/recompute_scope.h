// The phase `recompute` for a scope's lifetime, also when it ends by an exception. Nests. Outside a rank it does nothing.
//
// Thread bound: of the rank that the constructing thread runs.
#pragma once

#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class RecomputeScope {
 public:
  RecomputeScope() : rank_(find_rank()) {
    if (rank_) rank_->enter_recompute();
  }
  ~RecomputeScope() {
    if (rank_) rank_->leave_recompute();
  }
  RecomputeScope(const RecomputeScope&) = delete;

 private:
  RankState* rank_;
};

}  // namespace ordercheck::ranks
