#include "ranks/arith/softmax.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "ranks/arith/range.h"

namespace ordercheck::ranks {
namespace {

constexpr Numerics kPlainSoftmax{.arithmetic = Arithmetic::plain};
constexpr Numerics kExactSoftmax{.arithmetic = Arithmetic::exact};

at::Tensor scores(int seed) { return at::randn({2, 5, 5}, at::detail::createCPUGenerator(seed), at::kDouble); }
at::Tensor later_keys() { return at::ones({5, 5}, at::kBool).triu(1); }

// Plain, it is the softmax of the field: the stock operator and its gradient, to the last few bits.
TEST(Softmax, IsTheStockOneWithoutTheGrid) {
  const at::Tensor hidden = later_keys();
  at::Tensor x = scores(1).set_requires_grad(true), y = scores(1).set_requires_grad(true);
  const at::Tensor ours = masked_softmax(kPlainSoftmax, x, hidden);
  const at::Tensor stock = at::softmax(y.masked_fill(hidden, -std::numeric_limits<double>::infinity()), -1);
  ours.backward(scores(2));
  stock.backward(scores(2));
  EXPECT_LT((ours - stock).abs().max().item<double>(), 0x1p-50);
  EXPECT_LT((x.grad() - y.grad()).abs().max().item<double>(), 0x1p-48);
}

TEST(Softmax, HidesWhatIsMasked) {
  reset_range(1);
  const at::Tensor weights = masked_softmax(kExactSoftmax, scores(1), later_keys());
  EXPECT_EQ(weights.masked_select(later_keys()).abs().sum().item<double>(), 0);
  EXPECT_EQ(weights[0][0][0].item<double>(), 1);
}

TEST(Softmax, ReversingTheKeysReversesTheWeights) {
  reset_range(1);
  const at::Tensor nothing_hidden = at::zeros({5, 5}, at::kBool);
  const at::Tensor x = scores(3);
  EXPECT_TRUE(at::equal(masked_softmax(kExactSoftmax, x, nothing_hidden).flip(-1),
                        masked_softmax(kExactSoftmax, x.flip(-1), nothing_hidden)));
}

}  // namespace
}  // namespace ordercheck::ranks
