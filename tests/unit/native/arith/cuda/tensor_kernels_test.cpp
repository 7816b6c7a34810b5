// Every kernel of any device against the CPU's own, bit for bit: its functor in a loop on the host, and where there is a GPU its
// launch.
#include "native/arith/cuda/tensor_kernels.h"

#include <limits>

#include "native/arith/narrow_products.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"
#include "unit/native/arith/cuda/on_devices.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

using TensorKernels = OnDevices;
INSTANTIATE_TEST_SUITE_P(, TensorKernels, testing::Values("cpu", "cuda"), name_of_device);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

at::Tensor wide_noise(int64_t count) { return at::mul(noise({count}, 3), at::exp2(at::randint(-30, 8, {count}, at::kDouble))); }

// What `computation` leaves the range with; "" where it stays within.
template <typename Computation>
std::string left_range(Computation computation) {
  try {
    computation();
  } catch (const OutOfRange& left) {
    return left.what();
  }
  return "";
}

TEST_P(TensorKernels, SnapAsTheCpuDoesHoweverATensorLies) {
  for (const at::Tensor& x : layouts_of(wide_noise(70001))) {
    const at::Tensor owed = snapped(x, 20), got = on_device::snapped(moved(x), 20);
    EXPECT_TRUE(same_bits(owed, got.cpu())) << x.sizes();
    EXPECT_EQ(owed.strides(), got.strides());
  }
}

TEST_P(TensorKernels, SnapSaysAsTheCpuDoesWhatTheGridDoesNotHold) {
  for (const double outside : {0x1p31, -0x1p40, kNaN, std::numeric_limits<double>::infinity()}) {
    at::Tensor x = wide_noise(3001);
    x[2997] = outside;
    const std::string owed = left_range([&] { snapped(x, 20); });
    EXPECT_NE(owed, "");
    EXPECT_EQ(left_range([&] { on_device::snapped(moved(x), 20); }), owed);
  }
}

TEST_P(TensorKernels, SumAsTheCpuDoesOverAnyDims) {
  reset_range(1);
  const at::Tensor x = noise({5, 203, 6}, 4), gap = noise({9, 700}, 5).t();
  for (const Term term : {Term::itself, Term::magnitude, Term::square}) {
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {-1}}) {
      const at::Tensor owed = sum_terms(x, term, 40, dims, false, "a sum");
      EXPECT_TRUE(same_bits(owed, on_device::sum_of_terms(moved(x), term, 40, dims, false, "a sum").cpu()))
          << at::IntArrayRef(dims);
    }
    EXPECT_TRUE(same_bits(sum_terms(gap, term, 36, at::IntArrayRef(1), true, "a sum"),
                          on_device::sum_of_terms(moved(gap), term, 36, at::IntArrayRef(1), true, "a sum").cpu()));
  }
}

TEST_P(TensorKernels, SumNoteTheSameShareOfTheRange) {
  const at::Tensor x = noise({37, 411}, 6);
  for (const int64_t dim : {0, 1}) {
    reset_range(1);
    sum_terms(x, Term::square, 40, at::IntArrayRef(dim), false, "a sum");
    const double owed = range_used();
    reset_range(1);
    on_device::sum_of_terms(moved(x), Term::square, 40, at::IntArrayRef(dim), false, "a sum");
    EXPECT_EQ(range_used(), owed);
    EXPECT_GT(owed, 0);
  }
}

TEST_P(TensorKernels, SumLeaveTheRangeAsTheCpuDoes) {
  for (const double outside : {0x1p12, 0x1p20, kNaN}) {
    at::Tensor x = noise({11, 257}, 7);
    x[10][200] = outside;
    for (const int64_t dim : {0, 1}) {
      reset_range(2);
      const std::string owed = left_range([&] { sum_terms(x, Term::itself, 40, at::IntArrayRef(dim), false, "a sum"); });
      EXPECT_NE(owed, "");
      EXPECT_EQ(left_range([&] { on_device::sum_of_terms(moved(x), Term::itself, 40, at::IntArrayRef(dim), false, "a sum"); }),
                owed);
    }
  }
  reset_range(1);
}

TEST_P(TensorKernels, BoundAProductAsTheCpuDoes) {
  const at::Tensor a = snapped(noise({3, 33, 17}, 8), 20), b = snapped(noise({3, 29, 17}, 9), 20).transpose(1, 2);
  reset_range(1);
  note_product(a, b, 40, "a product");
  const double owed = range_used();
  reset_range(1);
  on_device::note_product(moved(a), moved(b), 40, "a product");
  EXPECT_EQ(range_used(), owed);
  EXPECT_GT(owed, 0);
}

TEST_P(TensorKernels, TakeRootsAsIeeeSays) {
  for (const at::Tensor& x : layouts_of(at::abs(wide_noise(5003)))) {
    const at::Tensor owed = steps::root(x), got = on_device::root(moved(x));
    EXPECT_TRUE(same_bits(owed, got.cpu()));
    EXPECT_EQ(owed.strides(), got.strides());
  }
}

TEST_P(TensorKernels, HashBytesAsTheHostDoes) {
  for (const int64_t count : {0, 1, 16, 30, 31, 128, 129, 1024, 1025, 2048, 2049, 100003}) {
    const at::Tensor bytes = at::randint(0, 256, {count + 3}, at::kByte).narrow(0, count % 4, count);
    EXPECT_EQ(on_device::hash_of_bytes(moved(bytes)), hash_of(bytes.const_data_ptr(), static_cast<std::size_t>(count)))
        << count;
    const at::Tensor doubles = noise({count}, 10);
    EXPECT_EQ(on_device::hash_of_bytes(moved(doubles)), hash_of(doubles.const_data_ptr(), doubles.nbytes())) << count;
  }
}

TEST_P(TensorKernels, CompareBitsAsTheCpuDoes) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kBFloat16, at::kByte, at::kComplexDouble}) {
    const at::Tensor x = at::mul(noise({13, 77}, 11), 60).to(dtype);
    const at::Tensor other = x.clone();
    other[12][76] = other[12][76] + 1;
    EXPECT_TRUE(on_device::same_bits(moved(x), moved(x.clone()))) << dtype;
    EXPECT_FALSE(on_device::same_bits(moved(x), moved(other))) << dtype;
    EXPECT_FALSE(on_device::same_bits(moved(x), moved(x.narrow(0, 0, 12)))) << dtype;
    EXPECT_EQ(on_device::same_bits(moved(x.t()), moved(other.t())), same_bits(x.t(), other.t())) << dtype;
  }
  const at::Tensor zero = at::zeros({1}, at::kDouble), none = at::full({1}, kNaN, at::kDouble);
  EXPECT_FALSE(on_device::same_bits(moved(zero), moved(at::neg(zero)))) << "-0 is not 0";
  EXPECT_TRUE(on_device::same_bits(moved(none), moved(none.clone()))) << "what is not a number is itself";
}

}  // namespace
}  // namespace ordercheck::ranks
