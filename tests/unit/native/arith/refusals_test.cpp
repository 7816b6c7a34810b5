// One of each class of what is refused, and of what is not.
#include "native/arith/refusals.h"

#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

const at::Tensor kNumbers = at::ones({4, 4}, at::kDouble);

TEST(Refusals, WhatSumsInsideAndIsInNoTable) {
  const Exactly exact;
  EXPECT_EQ(refused([] { at::cumprod(kNumbers, 0); }), "aten::cumprod sums inside and has no exact kernel");
  EXPECT_EQ(refused([] { at::prod(kNumbers); }), "aten::prod sums inside and has no exact kernel");
  EXPECT_EQ(refused([] { at::linalg_inv_ex(kNumbers); }), "aten::linalg_inv_ex sums inside and has no exact kernel");
}

TEST(Refusals, InAnyFloatingDtypeAndInLists) {
  const Exactly exact;
  EXPECT_EQ(refused([] { at::cumprod(kNumbers.to(at::kFloat), 0); }), "aten::cumprod sums inside and has no exact kernel");
  EXPECT_EQ(refused([] { at::cumprod(kNumbers.to(at::kComplexDouble), 0); }),
            "aten::cumprod sums inside and has no exact kernel");
}

TEST(Refusals, WhatDrawsRandomNumbers) {
  const Exactly exact;
  EXPECT_EQ(refused([] { at::bernoulli(kNumbers * 0.5); }),
            "aten::bernoulli draws random numbers, which differ between layouts");
}

TEST(Refusals, WhatALibrarySums) {
  const Exactly exact;
  const at::Tensor image = at::ones({1, 1, 4, 4}, at::kDouble), kernel = at::ones({1, 1, 2, 2}, at::kDouble);
  EXPECT_EQ(refused([&] { at::conv2d(image, kernel); }), "aten::convolution sums inside and has no exact kernel");
}

TEST(Refusals, ComplexNumbersOfWhatIsStableForRealOnes) {
  const Exactly exact;
  const at::Tensor complex = kNumbers.to(at::kComplexDouble);
  EXPECT_EQ(refused([&] { at::abs(complex); }), "aten::abs of complex numbers has no exact kernel");
  EXPECT_EQ(refused([&] { at::lerp(complex, complex, 0.5); }), "aten::lerp of complex numbers has no exact kernel");
  EXPECT_EQ(refused([&] { at::abs(kNumbers), at::lerp(kNumbers, kNumbers, 0.5), at::neg(complex); }), "");
}

TEST(Refusals, NotOfWholeNumbers) {
  const Exactly exact;
  EXPECT_EQ(at::cumprod(at::full({3}, 2, at::kLong), 0)[2].item<int64_t>(), 8);
  EXPECT_EQ(at::prod(at::full({3}, 2, at::kLong)).item<int64_t>(), 8);
}

TEST(Refusals, NotOfWhatMovesOrRoundsEachNumberByItself) {
  const Exactly exact;
  EXPECT_EQ(refused([] { kNumbers.t().contiguous().view({16}).sort(); }), "");
  EXPECT_EQ(refused([] { at::tanh(kNumbers - kNumbers * 3).clamp(0, 1).masked_fill(kNumbers.gt(0), 2.0); }), "");
}

TEST(Refusals, NotWithoutExactness) {
  install_exact_kernels();
  EXPECT_EQ(at::cumprod(kNumbers * 2, 0)[3][0].item<double>(), 16);
  EXPECT_EQ(at::prod(kNumbers.to(at::kFloat) * 2).item<float>(), 65536);
}

}  // namespace
}  // namespace ordercheck::ranks
