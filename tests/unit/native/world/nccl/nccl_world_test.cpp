#include "native/world/nccl/nccl_world.h"

#include <gmock/gmock.h>

#include "native/arith/cuda/devices.h"

namespace ordercheck::ranks {
namespace {

TEST(NcclWorld, SaysInOneLineWhyThereIsNoneHere) {
  if (devices_here().gpus >= 2) GTEST_SKIP() << devices_here().gpus << " GPUs are here: a world of 2 ranks is not refused";
  const std::string why = why_no_nccl_here(2);
  EXPECT_THAT(why, testing::StartsWith("world nccl: "));
  EXPECT_THAT(why, testing::Not(testing::HasSubstr("\n")));
  if (devices_here().gpus == 0 && !devices_here().absent.empty())
    EXPECT_EQ(why, "world nccl: " + devices_here().absent) << "the driver's own words";
}

}  // namespace
}  // namespace ordercheck::ranks
