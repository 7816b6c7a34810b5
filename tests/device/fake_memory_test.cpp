#include "device/fake_memory.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fake_device.h"

namespace ordercheck::ranks::fake {
namespace {

at::TensorOptions on_fake() { return at::TensorOptions(at::kDouble).device(install_fake_device()); }

double read_on_host(const at::Tensor& tensor) { return *static_cast<const volatile double*>(tensor.const_data_ptr()); }
void write_on_host(const at::Tensor& tensor) { *static_cast<volatile double*>(tensor.mutable_data_ptr()) = 1; }

TEST(FakeMemory, AHostThatReadsOrWritesItEndsWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const at::Tensor tensor = at::zeros({3}, on_fake());
  EXPECT_EXIT(read_on_host(tensor), testing::KilledBySignal(SIGSEGV), "host code read or wrote memory of the fake device");
  EXPECT_EXIT(write_on_host(tensor), testing::KilledBySignal(SIGSEGV), "host code read or wrote memory of the fake device");
}

TEST(FakeMemory, OfACopyTheHostMayReadAndOtherFaultsHaveNoName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EQ(read_on_host(at::ones({3}, on_fake()).to(at::kCPU)), 1);
  EXPECT_EXIT(raise(SIGSEGV), testing::KilledBySignal(SIGSEGV), testing::Not(testing::HasSubstr("fake device"))) << "sent";
  const auto null = reinterpret_cast<const volatile double*>(std::uintptr_t{8});
  EXPECT_EXIT(static_cast<void>(*null), testing::KilledBySignal(SIGSEGV), testing::Not(testing::HasSubstr("fake device")));
}

TEST(FakeMemory, WhatNobodyWroteIsNoNumber) {
  EXPECT_TRUE(at::isnan(at::empty({5}, on_fake())).all().item<bool>());
  EXPECT_EQ(at::zeros({5}, on_fake()).sum().item<double>(), 0);
  EXPECT_TRUE(at::isnan(at::empty({5}, on_fake())).all().item<bool>()) << "also in memory that is handed out again";
}

TEST(FakeMemory, AsMuchAsItHasAndNoMore) {
  EXPECT_THROW(at::empty({std::int64_t{1} << 29}, on_fake()), c10::OutOfMemoryError);
  EXPECT_EQ(at::zeros({1000}, on_fake()).sum().item<double>(), 0) << "the device goes on";
}

// What was let go of in small pieces is handed out in large ones, whichever stream had it.
TEST(FakeMemory, WhatIsFreeIsPutTogetherWhereItIsShort) {
  std::vector<at::Tensor> pieces;
  for (int i = 0; i < 600; ++i) pieces.push_back(at::empty({1 << 17}, on_fake()));  // of 1 MiB
  pieces.clear();
  const at::Tensor large = at::ones({1 << 26}, on_fake());  // 512 MiB
  EXPECT_EQ(large.narrow(0, 5, 3).sum().item<double>(), 3);
}

}  // namespace
}  // namespace ordercheck::ranks::fake
