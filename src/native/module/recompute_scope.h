// During its lifetime, this thread's rank is in phase `recompute`: backward repeats a forward. Nests. Outside a rank it does
// nothing.
//
// Thread bound: applies to the rank of the constructing thread.
#pragma once

#include "native/module/rank.h"

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
