#include "device/fake_kernels.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fake_device.h"
#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/same_bits.h"

namespace ordercheck::ranks::fake {
namespace {

using at::Tensor;
using testing::HasSubstr;

class FakeKernels : public testing::Test {
 protected:
  FakeKernels() {
    install_exact_kernels();
    device_ = install_fake_device();
  }
  Tensor moved(const Tensor& tensor) const { return tensor.to(device_); }

  // The same on both, to the bit and as it lies.
  void same(const std::function<Tensor(const Tensor& a, const Tensor& b)>& compute) const {
    const Tensor a = at::arange(24, at::kDouble).mul(0.37).reshape({4, 6}), b = at::cos(a);
    const Tensor expected = compute(a, b), got = compute(moved(a), moved(b));
    EXPECT_TRUE(got.is_privateuseone());
    EXPECT_EQ(got.strides(), expected.strides());
    EXPECT_TRUE(same_bits(got.to(at::kCPU), expected));
  }

  c10::Device device_{at::kCPU};
};

TEST_F(FakeKernels, GiveTheBitsOfTheCpu) {
  same([](const Tensor& a, const Tensor& b) { return a + b; });
  same([](const Tensor& a, const Tensor& b) { return at::mm(a, b.t()); });
  same([](const Tensor& a, const Tensor& b) { return at::cat({a, b.narrow(1, 2, 3)}, 1); });
  same([](const Tensor& a, const Tensor& b) { return at::softmax(a.t() * b.t(), 0); });
  same([](const Tensor& a, const Tensor&) { return std::get<1>(at::topk(a, 2, 1)); });
  same([](const Tensor& a, const Tensor&) { return a.index_select(0, at::arange(3, a.options().dtype(at::kLong))); });
  same([](const Tensor& a, const Tensor& b) { return at::_foreach_norm({a, b}, 2)[1]; });
}

TEST_F(FakeKernels, InPlaceAndOutFormsWriteWhereTheyAreTold) {
  Tensor self = moved(at::ones({2, 3}));
  const Tensor row = self.select(0, 1);
  row.mul_(5);
  self.add_(1);
  EXPECT_TRUE(same_bits(self.to(at::kCPU), at::tensor({2.f, 2.f, 2.f, 6.f, 6.f, 6.f}).reshape({2, 3})));
  Tensor grows = at::empty({0}, self.options());
  at::add_out(grows, self, self);
  EXPECT_EQ(grows.sizes(), self.sizes());
  EXPECT_EQ(grows.sum().item<float>(), 48);
}

TEST_F(FakeKernels, ExactKernelsOfTheCpuAreTakenThereToo) {
  set_exact_grid(20);
  // One and the rest of a third: on the grid of sums, 2^-40, its last bits are gone.
  same([](const Tensor& a, const Tensor& b) { return at::sum(a / 3 + b, 1); });
  same([](const Tensor& a, const Tensor& b) { return at::_foreach_norm({a / 3, b}, 2)[0]; });
  EXPECT_THROW(at::cumprod(moved(at::ones({3}, at::kDouble)), 0), Unsupported);
  set_exact_grid(kNotExact);
}

TEST_F(FakeKernels, TensorsOfTheHostAmongOnesOfTheDeviceAreRefusedAsOnAnyDevice) {
  const Tensor here = at::ones({3}), there = moved(here);
  EXPECT_EQ((there + at::ones({})).sum().item<float>(), 6) << "a number may be of the host";
  try {
    there.add(here);
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected all tensors to be on the same device"));
  }
}

TEST_F(FakeKernels, AutogradGoesThrough) {
  const Tensor x = moved(at::ones({2, 2}, at::kDouble)).set_requires_grad(true);
  at::silu(at::matmul(x, x)).sum().backward();
  EXPECT_TRUE(x.grad().is_privateuseone());
  const Tensor y = at::ones({2, 2}, at::kDouble).set_requires_grad(true);
  at::silu(at::matmul(y, y)).sum().backward();
  EXPECT_TRUE(same_bits(x.grad().to(at::kCPU), y.grad()));
}

TEST_F(FakeKernels, ACopyToTheHostWaits) {
  const Tensor there = moved(at::ones({3}));
  Tensor here = at::zeros({3});
  EXPECT_THROW(here.copy_(there, /*non_blocking=*/true), c10::Error);
  here.copy_(there);
  EXPECT_EQ(here.sum().item<float>(), 3);
}

}  // namespace
}  // namespace ordercheck::ranks::fake
