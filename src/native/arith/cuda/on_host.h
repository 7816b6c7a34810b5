// Runs the functors of this folder in loops on the host: see NOTE [twins] in host_device.h.
#pragma once

#include <array>
#include <vector>

#include "native/arith/cuda/folding.h"

namespace ordercheck::ranks {

template <typename Fold>
Fold fold_of_block(std::array<Fold, kFoldThreads>& folds) {
  for (int width = kFoldThreads / 2; width > 0; width /= 2)
    for (int thread = 0; thread < width; ++thread) take_from_upper_half(folds.data(), thread, width);
  return folds[0];
}

template <typename Fold>
Fold fold_of_blocks(const std::vector<Fold>& blocks) {
  std::array<Fold, kFoldThreads> folds;
  for (int thread = 0; thread < kFoldThreads; ++thread) {
    folds[thread] = Fold::none();
    for (std::size_t i = thread; i < blocks.size(); i += kFoldThreads) folds[thread].take(blocks[i]);
  }
  return fold_of_block(folds);
}

template <typename Fold, typename Functor>
Fold fold_on_host(const Functor& functor, std::int64_t count) {
  const int blocks = fold_blocks(count);
  std::vector<Fold> found;
  for (int block = 0; block < blocks; ++block) {
    std::array<Fold, kFoldThreads> folds;
    for (int thread = 0; thread < kFoldThreads; ++thread)
      folds[thread] = fold_of_thread<Fold>(functor, count, static_cast<std::int64_t>(block) * kFoldThreads + thread,
                                           static_cast<std::int64_t>(blocks) * kFoldThreads);
    found.push_back(fold_of_block(folds));
  }
  return fold_of_blocks(found);
}

// Uses a block per sum and distributes its terms over the block's threads.
template <typename Functor>
typename Functor::Fold fold_rows_on_host(const Functor& functor, std::int64_t rows) {
  using Part = typename Functor::Part;
  const int blocks = static_cast<int>(rows < 1 ? 1 : rows < kMostFoldBlocks ? rows : kMostFoldBlocks);
  std::vector<typename Functor::Fold> found(blocks, Functor::Fold::none());
  for (int block = 0; block < blocks; ++block) {
    for (std::int64_t row = block; row < rows; row += blocks) {
      std::array<Part, kFoldThreads> parts;
      for (int thread = 0; thread < kFoldThreads; ++thread) parts[thread] = functor.part(row, thread, kFoldThreads);
      functor.finish(row, fold_of_block(parts), found[block]);
    }
  }
  return fold_of_blocks(found);
}

}  // namespace ordercheck::ranks
