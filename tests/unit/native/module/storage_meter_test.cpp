#include "native/module/storage_meter.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

TEST(StorageMeter, CountsASharedStorageOnce) {
  StorageMeter meter;
  int a = 0, b = 0;
  meter.hold(&a, 100);
  meter.hold(&a, 100);
  meter.hold(&b, 10);
  EXPECT_EQ(meter.held(), 110);
  meter.release(&a);
  EXPECT_EQ(meter.held(), 110);
  meter.release(&a);
  EXPECT_EQ(meter.held(), 10);
  EXPECT_EQ(meter.peak(), 110);
}

TEST(StorageMeter, FollowsAStorageThatIsFreedInPlace) {
  StorageMeter meter;
  int a = 0;
  meter.hold(&a, 100);
  meter.resize(&a, 0);
  EXPECT_EQ(meter.held(), 0);
  meter.resize(&a, 250);
  EXPECT_EQ(meter.peak(), 250);
  meter.restart_peak();
  meter.release(&a);
  EXPECT_EQ(meter.held(), 0);
}

TEST(StorageMeter, HeldStorageCountsWithTheRankForItsLife) {
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  {
    const HeldStorage held(at::zeros({4}, at::kDouble));
    EXPECT_EQ(rank.parameters_held.held(), 32);
  }
  EXPECT_EQ(rank.parameters_held.held(), 0);
}

// Nobody says when a tensor is gone: a later count finds it out.
TEST(StorageMeter, HoldsAStorageUntilItsLastTensorIsGone) {
  StorageMeter meter;
  at::Tensor a = at::zeros({4}, at::kDouble);
  meter.hold_until_freed(a);
  at::Tensor view = a.narrow(0, 0, 1);
  meter.hold_until_freed(view);
  EXPECT_EQ(meter.held(), 32) << "one storage";
  a.reset();
  EXPECT_EQ(meter.held(), 32);
  EXPECT_TRUE(meter.holds(storage_key(view)));
  view.reset();
  EXPECT_EQ(meter.held(), 0);
}

TEST(StorageMeter, APeakLeavesOutWhatWasFreedBeforeIt) {
  StorageMeter meter;
  for (int i = 0; i < 3; ++i) meter.hold_until_freed(at::zeros({4}, at::kDouble));
  EXPECT_EQ(meter.peak(), 32);
  const at::Tensor a = at::zeros({4}, at::kDouble), b = at::zeros({4}, at::kDouble);
  meter.hold_until_freed(a);
  meter.hold_until_freed(b);
  EXPECT_EQ(meter.peak(), 64);
}

TEST(StorageMeter, CountsAsParameterOutsideDryRunsAlone) {
  hold_as_parameter(at::zeros({4}, at::kDouble));  // outside a rank: nothing
  RankState rank(0, {}, nullptr, {});
  const RankScope scope(rank);
  const at::Tensor dry = at::zeros({4}, at::kDouble), counted = at::zeros({2}, at::kDouble);
  rank.begin_dry_run();
  hold_as_parameter(dry);
  rank.end_dry_run();
  EXPECT_EQ(rank.parameters_held.held(), 0);
  hold_as_parameter(counted);
  EXPECT_EQ(rank.parameters_held.held(), 16);
}

}  // namespace
}  // namespace ordercheck::ranks
