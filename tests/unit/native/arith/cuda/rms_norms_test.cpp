// RMSNorm's fused kernels at the key of GPUs: forward has the bits of a CPU's composition, backward is its derivative, and the weight's
// gradient of parts adds up to that of the whole.
#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/exactness.h"
#include "native/arith/range.h"
#include "native/arith/same_bits.h"
#include "unit/native/arith/cuda/on_devices.h"

namespace ordercheck::ranks {
namespace {

#ifdef ORDERCHECK_CUDA
using at::Tensor;

// Of the host too: the kernels at that key are called with whatever tensors they are handed.
std::vector<Tensor> called(const char* name, std::vector<c10::IValue> arguments) {
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CUDA), &arguments);
  std::vector<Tensor> results;
  for (const c10::IValue& result : arguments) results.push_back(result.toTensor());
  return results;
}

class RmsNorms : public OnDevices {
 protected:
  void SetUp() override {
    OnDevices::SetUp();
    if (IsSkipped()) return;
    install_exact_operators(c10::DispatchKey::CPU);
    install_exact_operators(c10::DispatchKey::CUDA);
    reset_range(1);
    set_exact_grid(20);
    at::manual_seed(1);
  }
  void TearDown() override { set_exact_grid(kNotExact); }

  std::vector<Tensor> forward(const Tensor& x) const {
    return called("aten::_fused_rms_norm", {x, shape_, moved(weight), 1e-5});
  }
  std::vector<Tensor> backward(const Tensor& g, const Tensor& x, const Tensor& scale) const {
    return called("aten::_fused_rms_norm_backward", {g, x, shape_, scale, moved(weight), c10::List<bool>({true, true})});
  }
  const Tensor x = at::randn({6, 5, 24}, at::kDouble), g = at::randn({6, 5, 24}, at::kDouble);
  const Tensor weight = at::randn({24}, at::kDouble);

 private:
  const c10::List<int64_t> shape_{std::vector<int64_t>{24}};
};
INSTANTIATE_TEST_SUITE_P(, RmsNorms, testing::Values("cpu", "cuda"), name_of_device);

TEST_P(RmsNorms, ForwardHasTheBitsOfTheComposition) {
  const Tensor on = moved(x), squares = at::mul(on, on);
  const Tensor scale = at::rsqrt(at::add(at::mean(squares, {-1}, true), 1e-5));
  const auto got = forward(on);
  EXPECT_TRUE(same_bits(got[0].cpu(), at::mul(at::mul(on, scale), moved(weight)).cpu()));
  EXPECT_TRUE(same_bits(got[1].cpu(), scale.cpu()));
}

TEST_P(RmsNorms, BackwardIsTheDerivative) {
  const auto normed = forward(moved(x));
  const auto got = backward(moved(g), moved(x), normed[1]);
  set_exact_grid(kNotExact);  // no rounding to a grid in what it is held against
  const Tensor input = x.clone().requires_grad_(true), scaled_by = weight.clone().requires_grad_(true);
  at::mul(at::mul(input, at::rsqrt(at::add(at::mean(at::mul(input, input), {-1}, true), 1e-5))), scaled_by).backward(g);
  EXPECT_TRUE(at::allclose(got[0].cpu(), input.grad(), 1e-9, 1e-9));
  EXPECT_TRUE(at::allclose(got[1].cpu(), scaled_by.grad(), 1e-9, 1e-9));
}

TEST_P(RmsNorms, GradientsOfPartsAddUpBitForBit) {
  const auto of = [&](int64_t first, int64_t rows) {
    const Tensor part = moved(x).narrow(0, first, rows);
    return backward(moved(g).narrow(0, first, rows), part, forward(part)[1])[1];
  };
  const Tensor whole = of(0, 6);
  for (const int64_t cut : {1, 2, 5}) EXPECT_TRUE(same_bits(at::add(of(0, cut), of(cut, 6 - cut)).cpu(), whole.cpu())) << cut;
  set_exact_grid(kNotExact);
  const Tensor terms = at::mul(g, x);
  const auto plain_sum = [&](int64_t first, int64_t rows) {
    return at::sum(terms.narrow(0, first, rows), at::IntArrayRef{0, 1});
  };
  EXPECT_FALSE(same_bits(plain_sum(0, 6), at::add(plain_sum(0, 1), plain_sum(1, 5))))
      << "numbers that add up without a grid show nothing";
}
#endif

}  // namespace
}  // namespace ordercheck::ranks
