#include "native/arith/cuda/float64_products.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "unit/native/arith/cuda/on_devices.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

using Float64Products = OnDevices;
INSTANTIATE_TEST_SUITE_P(, Float64Products, testing::Values("cpu", "cuda"), name_of_device);

at::Tensor stock(const at::Tensor& a, const at::Tensor& b) { return at::mm(a, b); }

std::string fault_of(const Multiply& multiply, at::Device device) {
  return fault_of_products(multiply, at::TensorOptions(at::kDouble).device(device));
}

TEST_P(Float64Products, AreIeeesWhereNothingIsEmulated) { EXPECT_EQ(fault_of(stock, device()), ""); }

// Rows fixed to as many bits below their largest number, as integers would hold them.
at::Tensor fixed(const at::Tensor& x, int bits) {
  const at::Tensor largest = at::amax(at::where(at::isfinite(x), at::abs(x), 0.0), {1}, /*keepdim=*/true);
  const at::Tensor unit = at::exp2(at::sub(at::ceil(at::log2(largest)), bits));
  return at::mul(at::trunc(at::div(x, unit)), unit);
}

TEST_P(Float64Products, OfIntegersWithTooFewBitsAreSeen) {
  const auto emulated = [](const at::Tensor& a, const at::Tensor& b) { return at::mm(fixed(a, 55), b); };
  EXPECT_THAT(fault_of(emulated, device()),
              HasSubstr("a row that needs more than 55 bits at row 1, column 1: expected 0x1.0000000000001p+0"));
}

TEST_P(Float64Products, ThatLoseWhatIsNoNumberAreSeen) {
  const auto finite = [](const at::Tensor& a, const at::Tensor& b) { return at::mm(at::nan_to_num(a, 0.0, 1.0, 1.0), b); };
  EXPECT_THAT(fault_of(finite, device()), HasSubstr("a row with what is no number at row 1, column 0: expected nan"));
}

// What stands in the environment, for a test's lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Emulation, IsTurnedOffWhereNothingIsSaid) {
  unsetenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
  EXPECT_EQ(settle_emulation(), "");
  EXPECT_STREQ(std::getenv("CUBLAS_EMULATE_DOUBLE_PRECISION"), "0");
  EXPECT_STREQ(std::getenv("CUBLAS_EMULATE_SINGLE_PRECISION"), "0");
}

TEST(Emulation, IsRefusedInOneLine) {
  {
    const Variable on("CUBLAS_EMULATE_DOUBLE_PRECISION", "1");
    EXPECT_EQ(
        settle_emulation(),
        "CUBLAS_EMULATE_DOUBLE_PRECISION=1: expected 0 or nothing, since an emulated product is not one of that precision");
  }
  const Variable eager("CUBLAS_EMULATION_STRATEGY", "eager");
  EXPECT_THAT(settle_emulation(), HasSubstr("CUBLAS_EMULATION_STRATEGY=eager: expected nothing"));
}

}  // namespace
}  // namespace ordercheck::ranks
