#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

at::Tensor terms(const at::Tensor& x) { return snapped(x, 40); }

TEST(Sums, AddTermsOnTheGrid) {
  const at::Tensor x = noise({7, 11}, 1);
  const at::Tensor all = terms(x).sum(), rows = terms(x).sum(1), running = terms(x).cumsum(1);
  const Exactly exact;
  EXPECT_TRUE(same_bits(x.sum(), all));
  EXPECT_TRUE(same_bits(x.sum(1), rows));
  EXPECT_TRUE(same_bits(x.mean(1), rows / 11));
  EXPECT_TRUE(same_bits(x.mean(), all / 77));
  EXPECT_TRUE(same_bits(x.cumsum(1), running));
  at::Tensor out = at::empty({0}, at::kDouble);
  EXPECT_TRUE(same_bits(at::sum_out(out, x, at::IntArrayRef(1)), rows));
  EXPECT_TRUE(same_bits(x.flip(0).sum(), all)) << "in any order";
}

TEST(Sums, OfFloat32InFloat64AreExact) {
  const at::Tensor x = noise({100}, 1).to(at::kFloat);
  const at::Tensor owed = terms(x.to(at::kDouble)).sum();
  const Exactly exact;
  EXPECT_TRUE(same_bits(x.sum(at::kDouble), owed));
  EXPECT_EQ(refused([&] { x.sum(); }), "aten::sum of float32 has no exact kernel");
  EXPECT_EQ(at::ones({3}, at::kBool).sum().item<int64_t>(), 3);
}

TEST(Sums, AVarianceIsTwoExactSums) {
  const at::Tensor x = noise({5, 64}, 1);
  const Exactly exact;
  EXPECT_TRUE(same_bits(x.var(1), x.flip(1).var(1)));
  EXPECT_TRUE(at::allclose(x.var(1), (x - x.mean(1, true)).pow(2).sum(1) / 63, 0, 1e-9));
}

// See NOTE [gradients that meet].
TEST(Sums, OfThreeTensorsDoNotDependOnThePairing) {
  const at::Tensor a = noise({1000}, 1) * 1e-3, b = noise({1000}, 2), c = noise({1000}, 3) * 30;
  EXPECT_FALSE(same_bits((a + b) + c, a + (b + c))) << "without the grid";
  const Exactly exact;
  EXPECT_TRUE(same_bits((a + b) + c, a + (b + c)));
  at::Tensor in_place = a.clone();
  in_place.add_(b).add_(c);
  EXPECT_TRUE(same_bits(in_place, a + (b + c)));
  EXPECT_TRUE(same_bits((a.view({10, 100}).t() + b.view({100, 10})), a.view({10, 100}).t().contiguous() + b.view({100, 10})))
      << "however it lies";
}

TEST(Sums, WithANumberAreStock) {
  const at::Tensor x = at::full({1}, 1.0, at::kDouble);
  const Exactly exact;
  EXPECT_EQ((x + 0x1p-50).item<double>(), 1 + 0x1p-50);
  EXPECT_EQ((x + at::full({1}, 0x1p-50, at::kDouble)).item<double>(), 1) << "a tensor's element is rounded";
  EXPECT_EQ(at::add(x, at::full({1}, 0x1p-50, at::kDouble), 2).item<double>(), 1 + 0x1p-49) << "with a factor it is stock";
}

TEST(Sums, LeaveTheRangeByWhatTheyAdd) {
  const Exactly exact;
  EXPECT_THROW(at::full({1000}, 1000.0, at::kDouble).sum(), OutOfRange);
  const at::Tensor large = at::full({2}, 200.0, at::kDouble);
  EXPECT_THROW(large + large, OutOfRange);
  const at::Tensor hidden = at::full({2}, -std::numeric_limits<double>::infinity(), at::kDouble);
  EXPECT_NO_THROW(at::ones({2}, at::kDouble) + hidden) << "as a mask";
}

}  // namespace
}  // namespace ordercheck::ranks
