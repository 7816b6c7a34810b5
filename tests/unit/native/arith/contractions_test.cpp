// The promise of exact arithmetic: however a contraction is cut, it has the same bits; and without the grid it has not.
#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

class Cut : public testing::TestWithParam<int> {
 protected:
  // x w^T with the contraction cut in `GetParam()` uneven parts that are added in reverse.
  at::Tensor in_parts(const at::Tensor& x, const at::Tensor& w) {
    const auto xs = x.tensor_split(GetParam(), -1);
    const auto ws = w.tensor_split(GetParam(), -1);
    at::Tensor sum = at::zeros({x.size(0), w.size(0)}, x.options());
    for (std::size_t i = xs.size(); i-- > 0;) sum = sum + at::linear(xs[i], ws[i]);
    return sum;
  }
};

TEST_P(Cut, ALinearsContractionMayBeCutAnywhere) {
  const Exactly exact(20, 8);
  const at::Tensor x = noise({7, 91}, 1), w = noise({13, 91}, 2);
  EXPECT_TRUE(same_bits(at::linear(x, w), in_parts(x, w)));
}

TEST_P(Cut, AndWithoutTheGridItMayNot) {
  const at::Tensor x = noise({7, 91}, 1), w = noise({13, 91}, 2);
  EXPECT_FALSE(same_bits(at::linear(x, w), in_parts(x, w)));
}

TEST_P(Cut, AWeightGradientMayBeAccumulatedOverAnySplitOfTokens) {
  const Exactly exact;
  const at::Tensor x = noise({96, 24}, 3), seed_gradient = noise({96, 10}, 5);
  const auto gradient = [&](int parts) {
    at::Tensor w = noise({10, 24}, 4).set_requires_grad(true);
    const auto xs = x.tensor_split(parts, 0);
    const auto gs = seed_gradient.tensor_split(parts, 0);
    for (std::size_t i = xs.size(); i-- > 0;) at::linear(xs[i], w).backward(gs[i]);
    return w.grad();
  };
  EXPECT_TRUE(same_bits(gradient(1), gradient(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Parts, Cut, testing::Values(2, 3, 4, 7, 8));

TEST(Contractions, ALinearSavesItsWeightNotACopy) {
  const Exactly exact;
  at::Tensor w = noise({3, 4}, 1).set_requires_grad(true);
  at::Tensor x = noise({2, 4}, 2).set_requires_grad(true);
  const at::Tensor y = at::linear(x, w);
  // Through the storage, unseen by autograd's versions, as a sharded parameter that is freed and gathered.
  std::memset(w.storage().mutable_data(), 0, w.nbytes());
  y.sum().backward();
  EXPECT_EQ(x.grad().abs().max().item<double>(), 0);
}

// Every form of a product is the product of operands on the grid.
TEST(Contractions, AreThoseOfOperandsOnTheGrid) {
  const at::Tensor a = noise({3, 4}, 1), b = noise({4, 5}, 2), bias = noise({5}, 3), vector = noise({4}, 4);
  const at::Tensor x = snapped(a, 20), y = snapped(b, 20), v = snapped(vector, 20);
  const at::Tensor product = at::mm(x, y), of_vector = at::mv(x, v), dot = at::dot(v, x[0]);
  const at::Tensor start = noise({3, 5}, 5);
  const Exactly exact;
  const at::Tensor scaled = product * 0.3 + bias * 0.7;
  const auto into = [&](auto compute) {
    at::Tensor out = at::empty({3, 5}, at::kDouble);
    compute(out);
    return out;
  };
  EXPECT_TRUE(same_bits(at::mm(a, b), product));
  EXPECT_TRUE(same_bits(into([&](at::Tensor& out) { at::mm_out(out, a, b); }), product));
  EXPECT_TRUE(same_bits(at::bmm(a.unsqueeze(0), b.unsqueeze(0))[0], product));
  EXPECT_TRUE(same_bits(at::mm(a, b.t().contiguous().t()), product)) << "however it lies";
  EXPECT_TRUE(same_bits(at::addmm(bias, a, b, 0.7, 0.3), scaled)) << "one rounding a scale, one for the sum";
  EXPECT_TRUE(same_bits(into([&](at::Tensor& out) { at::addmm_out(out, bias, a, b, 0.7, 0.3); }), scaled));
  EXPECT_TRUE(same_bits(at::baddbmm(bias, a.unsqueeze(0), b.unsqueeze(0), 0.7, 0.3)[0], scaled));
  at::Tensor in_place = start.clone();
  in_place.addmm_(a, b, 0, 1);
  EXPECT_TRUE(same_bits(in_place, product)) << "beta 0 leaves out what was there";
  EXPECT_TRUE(same_bits(at::mv(a, vector), of_vector));
  EXPECT_TRUE(same_bits(at::addmv(at::zeros({3}, at::kDouble), a, vector), of_vector));
  EXPECT_TRUE(same_bits(at::dot(vector, a[0]), dot));
  EXPECT_TRUE(same_bits(at::vdot(vector, a[0]), dot));
}

TEST(Contractions, TooLargeAProductIsRefused) {
  const Exactly exact;
  EXPECT_THROW(at::mm(at::full({1, 64}, 100.0, at::kDouble), at::full({64, 1}, 100.0, at::kDouble)), OutOfRange);
}

TEST(Contractions, OfOtherFloatsAreRefused) {
  const Exactly exact;
  const at::Tensor x = at::ones({2, 2}, at::kFloat);
  for (const auto& multiply : std::vector<std::function<void()>>{[&] { at::mm(x, x); }, [&] { at::linear(x, x); },
                                                                 [&] { at::addmm(x, x, x); }, [&] { at::dot(x[0], x[0]); }}) {
    EXPECT_NE(refused(multiply).find("of float32 has no exact kernel"), std::string::npos);
  }
  EXPECT_TRUE(at::equal(at::mm(at::ones({2, 2}, at::kLong), at::ones({2, 2}, at::kLong)), at::full({2, 2}, 2, at::kLong)));
}

}  // namespace
}  // namespace ordercheck::ranks
