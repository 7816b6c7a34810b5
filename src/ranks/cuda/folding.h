// How indices are shared out to threads and what threads found is put together: the same on the host and on a GPU.
//
// A Fold is a value with none(), what no index at all gives, and take(other), in whose order nothing depends. A functor is called
// with an index and the fold of its thread.
#pragma once

#include <cstdint>

#include "ranks/cuda/host_device.h"

namespace ordercheck::ranks {

inline constexpr int kFoldThreads = 128;  // of a block; a power of two
inline constexpr int kMostFoldBlocks = 512;

inline int fold_blocks(std::int64_t count) {
  const std::int64_t wanted = (count + kFoldThreads - 1) / kFoldThreads;
  return static_cast<int>(wanted < 1 ? 1 : wanted < kMostFoldBlocks ? wanted : kMostFoldBlocks);
}

// What one of all threads, numbered from 0, does: every `threads`th index.
template <typename Fold, typename Functor>
ORDERCHECK_HOST_DEVICE Fold fold_of_thread(const Functor& functor, std::int64_t count, std::int64_t thread,
                                           std::int64_t threads) {
  Fold fold = Fold::none();
  for (std::int64_t i = thread; i < count; i += threads) functor(i, fold);
  return fold;
}

// One level of the tree in which a block's threads put together what they found: `width` folds are left of twice as many.
template <typename Fold>
ORDERCHECK_HOST_DEVICE void take_from_upper_half(Fold* folds, int thread, int width) {
  if (thread < width) folds[thread].take(folds[thread + width]);
}

}  // namespace ordercheck::ranks
