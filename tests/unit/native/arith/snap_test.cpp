#include "native/arith/snap.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/arith/range.h"

namespace ordercheck::ranks {
namespace {

double one_snapped(double x, int bits) { return snapped(at::full({1}, x, at::kDouble), bits).item<double>(); }

TEST(Snap, RoundsToTheNearestMultipleAndTiesToEven) {
  EXPECT_EQ(one_snapped(1.26, 2), 1.25);
  EXPECT_EQ(one_snapped(-1.26, 2), -1.25);
  EXPECT_EQ(one_snapped(1.125, 2), 1.0);  // halfway: 4.5 quarters goes to 4
  EXPECT_EQ(one_snapped(1.375, 2), 1.5);  // 5.5 quarters goes to 6
  EXPECT_EQ(one_snapped(0.1, 20), std::nearbyint(0.1 * 0x1p20) * 0x1p-20);
}

TEST(Snap, GivesPositiveZeroWhateverTheSign) {
  EXPECT_FALSE(std::signbit(one_snapped(-0.0, 20)));
  EXPECT_FALSE(std::signbit(one_snapped(-1e-12, 20)));
}

TEST(Snap, RefusesWhatDoesNotFitTheGrid) {
  EXPECT_NO_THROW(one_snapped(0x1p30, 20));
  EXPECT_THROW(one_snapped(0x1p31, 20), OutOfRange);
}

// A maximum drops it, wherever it stands.
TEST(Snap, RefusesWhatIsNoNumber) {
  for (const int64_t at_index : {0, 4, 8}) {
    at::Tensor x = at::ones({9}, at::kDouble);
    x[at_index] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(snapped(x, 20), OutOfRange) << at_index;
    x[at_index] = -std::numeric_limits<double>::infinity();
    EXPECT_THROW(snapped(x, 20), OutOfRange) << at_index;
  }
}

TEST(Snap, RefusesOtherDtypes) { EXPECT_THROW(snapped(at::ones({1}, at::kFloat), 20), c10::Error); }

TEST(Snap, ReadsStridedTensors) {
  const at::Tensor x = at::arange(6, at::kDouble).view({2, 3}).t() / 7;
  EXPECT_TRUE(at::equal(snapped(x, 20), snapped(x.contiguous(), 20)));
}

TEST(Snap, KeepsADenseTensorsStrides) {
  const at::Tensor x = (at::arange(6, at::kDouble) / 7).view({2, 3}).t();
  EXPECT_EQ(snapped(x, 20).strides(), x.strides());
  EXPECT_TRUE(snapped(x.narrow(0, 0, 2), 20).is_contiguous()) << "a part of it is not dense";
}

TEST(Snap, InADryRunRefusesNothing) {
  const Unmeasured dry;
  EXPECT_NO_THROW(one_snapped(0x1p31, 20));
}

}  // namespace
}  // namespace ordercheck::ranks
