#include "native/arith/softmax.h"

#include <limits>

#include <gmock/gmock.h>

#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

// Near the stock operator's result and gradient: the grid is all that lies between.
TEST(Softmax, IsTheStockOneButForTheGrid) {
  for (const bool logarithm : {false, true}) {
    const auto run = [&] {
      at::Tensor x = noise({6, 9}, 1).set_requires_grad(true);
      const at::Tensor y = logarithm ? at::log_softmax(x, -1) : at::softmax(x, -1);
      y.backward(noise({6, 9}, 2));
      return std::pair(y.detach(), x.grad());
    };
    const auto stock = run();
    const Exactly exact;
    const auto ours = run();
    EXPECT_TRUE(at::allclose(ours.first, stock.first, 0, 1e-9));
    EXPECT_TRUE(at::allclose(ours.second, stock.second, 0, 1e-9));
    EXPECT_FALSE(same_bits(ours.second, stock.second)) << "it is rounded";
  }
}

TEST(Softmax, ReversingARowReversesItsWeights) {
  const Exactly exact;
  const at::Tensor x = noise({3, 50}, 3);
  EXPECT_TRUE(same_bits(at::softmax(x, -1).flip(-1), at::softmax(x.flip(-1), -1)));
  EXPECT_TRUE(same_bits(at::softmax(x, -1), at::softmax(x.t(), 0).t()));
}

TEST(Softmax, ARowThatIsHiddenWholeIsNoNumber) {
  const Exactly exact;
  const at::Tensor x = at::full({1, 3}, -std::numeric_limits<double>::infinity(), at::kDouble);
  EXPECT_TRUE(at::softmax(x, -1).isnan().all().item<bool>());
}

// (one_hot - exp(y)) * s to the bit, whatever other rows hold: what a loss on a split vocabulary computes.
TEST(Softmax, ALabelsGradientHasTheFormOfASplitVocabulary) {
  const Exactly exact;
  const at::Tensor y = at::log_softmax(noise({4, 7}, 1), -1);
  at::Tensor gradient = at::zeros({4, 7}, at::kDouble);
  gradient[0][2] = -0.3;
  gradient[1][6] = -0.7;
  const at::Tensor s = at::tensor({-0.3, -0.7, 0.0}, at::kDouble).unsqueeze(1);
  const at::Tensor owed = (gradient.ne(0).to(at::kDouble) - at::exp(y)).narrow(0, 0, 3) * s;
  EXPECT_TRUE(same_bits(at::_log_softmax_backward_data(gradient, y, -1, at::kDouble).narrow(0, 0, 3), owed));
  gradient[3] = noise({7}, 2);
  const at::Tensor beside = at::_log_softmax_backward_data(gradient, y, -1, at::kDouble);
  EXPECT_TRUE(same_bits(beside.narrow(0, 0, 3), owed));
  EXPECT_TRUE(same_bits(beside[3], gradient[3] - at::exp(y[3]) * gradient[3].sum()));
  EXPECT_TRUE(same_bits(at::_log_softmax_backward_data(gradient.t(), y.t(), 0, at::kDouble).t(), beside));
}

TEST(Losses, AreSumsOfLabelsLogLikelihoods) {
  const at::Tensor y = at::log_softmax(noise({5, 7}, 1), -1), labels = at::tensor({1, 2, -100, 3, 6}, at::kLong);
  const Exactly exact;
  at::Tensor owed = at::zeros({}, at::kDouble);
  for (const int64_t row : {0, 1, 3, 4}) owed = owed + snapped(-y[row][labels[row].item<int64_t>()].reshape({1}), 40)[0];
  EXPECT_TRUE(same_bits(at::nll_loss(y, labels, {}, at::Reduction::Sum, -100), owed));
  EXPECT_TRUE(same_bits(at::nll_loss(y, labels, {}, at::Reduction::Mean, -100), owed / 4));
  EXPECT_TRUE(same_bits(at::nll_loss(y, labels, {}, at::Reduction::None, -100)[0], -y[0][1]));
  const at::Tensor image = y.t().reshape({1, 7, 5, 1}), pixels = labels.reshape({1, 5, 1});
  EXPECT_TRUE(same_bits(at::nll_loss2d(image, pixels, {}, at::Reduction::Sum, -100), owed));
  EXPECT_EQ(refused([&] { at::nll_loss(y, labels, at::ones({7}, at::kDouble), at::Reduction::Sum, -100); }),
            "aten::nll_loss_forward with a weight a class has no exact kernel");
  EXPECT_THROW(at::nll_loss(y, labels + 7, {}, at::Reduction::Sum, -100), c10::Error) << "no such class";
}

constexpr double kHidden = -std::numeric_limits<double>::infinity();

void expect_those_of_all(const at::Tensor& scores) {
  const Exactly exact;
  const SeenExponentials made = seen_exponentials(scores, "a test");
  const double used = range_used();
  reset_range(1);
  const Exponentials owed = exponentials(scores, -1, "a test");
  EXPECT_TRUE(same_bits(made.values, owed.values)) << scores.sizes();
  EXPECT_TRUE(same_bits(made.sum, owed.sum));
  EXPECT_TRUE(same_bits(made.largest, scores.amax(-1, /*keepdim=*/true)));
  EXPECT_EQ(used, range_used());
}

TEST(SeenExponentials, AreThoseOfAllScores) {
  for (const int64_t keys : {1, 7, 24, 65}) {
    const at::Tensor scores = noise({3, 24, keys}, 1) * 9;
    expect_those_of_all(scores);
    expect_those_of_all(scores.masked_fill(at::ones({24, keys}, at::kBool).triu(1), kHidden));
    expect_those_of_all(scores.masked_fill(noise({3, 24, keys}, 2) > 0.5, kHidden));
  }
}

TEST(SeenExponentials, OfARowThatIsHiddenAreZeros) {
  at::Tensor scores = noise({2, 3, 5}, 1);
  scores[1][2].fill_(kHidden);
  expect_those_of_all(scores);
}

TEST(SeenExponentials, OfWhatIsNoNumberAreRefused) {
  at::Tensor scores = noise({2, 3, 24}, 1);
  for (const int64_t place : {0, 11, 23}) {
    const Exactly exact;
    at::Tensor odd = scores.clone();
    odd[1][1][place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(seen_exponentials(odd, "a test"), OutOfRange);
  }
}

TEST(SeenExponentials, OfNoKeysAreRefused) { EXPECT_THROW(seen_exponentials(noise({2, 3, 0}, 1), "a test"), c10::IndexError); }

}  // namespace
}  // namespace ordercheck::ranks
