#include "native/arith/cuda/devices.h"

#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(Devices, AreThereOrAreSaidToBeAbsentInTheDriversWords) {
  const Devices here = devices_here();
#ifdef ORDERCHECK_CUDA
  EXPECT_EQ(here.gpus == 0, here.absent.starts_with("no CUDA device: ")) << here.absent;
  EXPECT_NE(here.absent, "no CUDA device: ");
#else
  EXPECT_EQ(here.gpus, 0);
  EXPECT_EQ(here.absent, "") << "a program that was built for CPUs misses no GPU";
#endif
}

}  // namespace
}  // namespace ordercheck::ranks
