#include "native/arith/cuda/prepare_gpu.h"

#include <gmock/gmock.h>

#include "native/arith/cuda/devices.h"

namespace ordercheck::ranks {
namespace {

TEST(PrepareGpu, SaysInOneLineWhatStandsAgainstIt) {
  const Devices& here = devices_here();
  const std::string why = prepare_gpu(here.gpus);
  EXPECT_THAT(why, testing::StartsWith("no CUDA device"));
  EXPECT_THAT(why, testing::Not(testing::HasSubstr("\n")));
  if (!here.absent.empty()) EXPECT_EQ(why, here.absent);
}

TEST(PrepareGpu, FindsProductsOfFloat64OnEveryGpu) {
  const Devices& here = devices_here();
  if (here.gpus == 0) GTEST_SKIP() << (here.absent.empty() ? "built without CUDA" : here.absent);
  for (int gpu = 0; gpu < here.gpus; ++gpu) EXPECT_EQ(prepare_gpu(gpu), "");
}

}  // namespace
}  // namespace ordercheck::ranks
