#include "ranks/module/storage_meter.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ranks/module/rank.h"

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

}  // namespace
}  // namespace ordercheck::ranks
