// Assigns indices to threads and combines the threads' results, identically on the host and on a GPU.
//
// A Fold is a value with none(), its identity, and take(other), which is independent of order. A functor takes an index and the
// fold of its thread.
#pragma once

#include <cstdint>

#include "native/arith/cuda/host_device.h"

namespace ordercheck::ranks {

inline constexpr int kFoldThreads = 128;  // threads per block; a power of two
inline constexpr int kMostFoldBlocks = 512;

inline int fold_blocks(std::int64_t count) {
  const std::int64_t wanted = (count + kFoldThreads - 1) / kFoldThreads;
  return static_cast<int>(wanted < 1 ? 1 : wanted < kMostFoldBlocks ? wanted : kMostFoldBlocks);
}

// Runs every `threads`th index on thread number `thread`.
template <typename Fold, typename Functor>
ORDERCHECK_HOST_DEVICE Fold fold_of_thread(const Functor& functor, std::int64_t count, std::int64_t thread,
                                           std::int64_t threads) {
  Fold fold = Fold::none();
  for (std::int64_t i = thread; i < count; i += threads) functor(i, fold);
  return fold;
}

// One level of a block's reduction tree: reduces 2 * `width` folds to `width`.
template <typename Fold>
ORDERCHECK_HOST_DEVICE void take_from_upper_half(Fold* folds, int thread, int width) {
  if (thread < width) folds[thread].take(folds[thread + width]);
}

}  // namespace ordercheck::ranks
