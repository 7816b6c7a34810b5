// The promise of exact arithmetic: however a sum is cut, it has the same bits; and without the grid it has not.
#include "ranks/arith/arithmetic.h"

#include <cstring>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "ranks/arith/range.h"
#include "ranks/arith/snap.h"

namespace ordercheck::ranks {
namespace {

constexpr Numerics kExact{.arithmetic = Arithmetic::exact, .grid = 20};
constexpr Numerics kPlain{.arithmetic = Arithmetic::plain, .grid = 20};

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return x.sizes() == y.sizes() && std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

at::Tensor noise(at::IntArrayRef sizes, int seed) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::kDouble);
}

at::Tensor rounded_noise(at::IntArrayRef sizes, int seed) { return rounded(noise(sizes, seed), 20); }

class Cut : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { reset_range(8); }
  // x w^T with the contraction cut in `GetParam()` uneven parts that are added in reverse.
  at::Tensor in_parts(const Numerics& numerics, const at::Tensor& x, const at::Tensor& w) {
    const auto xs = x.tensor_split(GetParam(), -1);
    const auto ws = w.tensor_split(GetParam(), -1);
    at::Tensor sum = at::zeros({x.size(0), w.size(0)}, x.options());
    for (std::size_t i = xs.size(); i-- > 0;) sum = sum + linear(numerics, xs[i], ws[i]);
    return sum;
  }
};

TEST_P(Cut, ALinearsContractionMayBeCutAnywhere) {
  const at::Tensor x = noise({7, 91}, 1), w = noise({13, 91}, 2);
  EXPECT_TRUE(same_bits(linear(kExact, x, w), in_parts(kExact, x, w)));
}

TEST_P(Cut, AndWithoutTheGridItMayNot) {
  const at::Tensor x = noise({7, 91}, 1), w = noise({13, 91}, 2);
  EXPECT_FALSE(same_bits(linear(kPlain, x, w), in_parts(kPlain, x, w)));
}

TEST_P(Cut, AWeightGradientMayBeAccumulatedOverAnySplitOfTokens) {
  const at::Tensor x = noise({96, 24}, 3), seed_gradient = noise({96, 10}, 5);
  const auto gradient = [&](int parts) {
    at::Tensor w = noise({10, 24}, 4).set_requires_grad(true);
    const auto xs = x.tensor_split(parts, 0);
    const auto gs = seed_gradient.tensor_split(parts, 0);
    for (std::size_t i = xs.size(); i-- > 0;) linear(kExact, xs[i], w).backward(gs[i]);
    return w.grad();
  };
  EXPECT_TRUE(same_bits(gradient(1), gradient(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Parts, Cut, testing::Values(2, 3, 4, 7, 8));

TEST(Arithmetic, ALinearSavesItsWeightNotACopy) {
  reset_range(1);
  at::Tensor w = noise({3, 4}, 1).set_requires_grad(true);
  at::Tensor x = noise({2, 4}, 2).set_requires_grad(true);
  const at::Tensor y = linear(kExact, x, w);
  // Through the storage, unseen by autograd's versions, as a sharded parameter that is freed and gathered.
  std::memset(w.storage().mutable_data(), 0, w.nbytes());
  y.sum().backward();
  EXPECT_EQ(x.grad().abs().max().item<double>(), 0);
}

TEST(Arithmetic, MatmulGradientsAreThoseOfStockOperatorsOnTheGrid) {
  reset_range(1);
  at::Tensor a = rounded_noise({2, 3, 4}, 1).set_requires_grad(true);
  at::Tensor b = rounded_noise({2, 4, 5}, 2).set_requires_grad(true);
  const at::Tensor seed_gradient = rounded_noise({2, 3, 5}, 3);
  batched_matmul(kExact, a, b).backward(seed_gradient);
  EXPECT_TRUE(same_bits(a.grad(), at::bmm(seed_gradient, b.detach().transpose(1, 2))));
  EXPECT_TRUE(same_bits(b.grad(), at::bmm(a.detach().transpose(1, 2), seed_gradient)));
}

TEST(Arithmetic, SumsBroadcastTheirGradient) {
  reset_range(1);
  at::Tensor x = noise({2, 3}, 1).set_requires_grad(true);
  sum_terms(kExact, x).backward(at::tensor({2.0, 3.0}, at::kDouble).view({2, 1}));
  EXPECT_TRUE(at::equal(x.grad(), at::tensor({2.0, 2.0, 2.0, 3.0, 3.0, 3.0}, at::kDouble).view({2, 3})));
}

TEST(Arithmetic, ABroadcastsGradientMayBeSummedInAnyOrder) {
  reset_range(1);
  const at::Tensor like = noise({64, 5}, 1), seed_gradient = noise({64, 5}, 2);
  const auto gradient = [&](const at::Tensor& order) {
    at::Tensor x = noise({5}, 3).set_requires_grad(true);
    broadcast_to(kExact, x, like).backward(seed_gradient.index_select(0, order));
    return x.grad();
  };
  const at::Tensor forwards = at::arange(64, at::kLong);
  EXPECT_TRUE(same_bits(gradient(forwards), gradient(forwards.flip(0))));
}

TEST(Arithmetic, SquaresOfPiecesAddUpToTheSquaresOfTheWhole) {
  reset_range(1);
  const at::Tensor x = noise({100}, 1);
  at::Tensor pieces = at::zeros({}, at::kDouble);
  for (const at::Tensor& piece : x.tensor_split(3)) pieces = pieces + sum_of_squares(kExact, piece);
  EXPECT_TRUE(same_bits(sum_of_squares(kExact, x), pieces));
}

TEST(Arithmetic, TooLargeAContractionIsRefused) {
  reset_range(1);
  EXPECT_THROW(linear(kExact, at::full({1, 64}, 100.0, at::kDouble), at::full({1, 64}, 100.0, at::kDouble)), OutOfRange);
}

}  // namespace
}  // namespace ordercheck::ranks
