#include "native/graph/saved_tensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(SavedTensors, CountWhatStaysSavedUntilBackward) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  at::Tensor x = at::ones({8}, at::kDouble).set_requires_grad(true);
  const at::Tensor y = (x * 2).exp();  // exp saves its result, 64 bytes
  EXPECT_EQ(rank.saved_for_backward.held(), 64);
  y.sum().backward();
  EXPECT_EQ(rank.saved_for_backward.held(), 0);
  EXPECT_EQ(rank.saved_for_backward.peak(), 64);
}

// exp saves its own result: what is kept must not keep who keeps it.
TEST(SavedTensors, AreLetGoOfWithoutBackwardToo) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor x = at::ones({8}, at::kDouble).set_requires_grad(true);
  x.exp();
  EXPECT_EQ(rank.saved_for_backward.peak(), 64);
  EXPECT_EQ(rank.saved_for_backward.held(), 0);
}

TEST(SavedTensors, LeaveParametersOut) {
  install_saved_tensor_hooks();
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor w = at::ones({8}, at::kDouble).set_requires_grad(true);
  const HeldStorage parameter(w);
  const at::Tensor y = (w * w).sum();  // saves w twice
  EXPECT_EQ(rank.saved_for_backward.held(), 0);
}

}  // namespace
}  // namespace ordercheck::ranks
