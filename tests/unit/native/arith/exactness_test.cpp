#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

TEST(Exactness, TakesFloat64WhileItIsOn) {
  const at::Tensor x = at::ones({1}, at::kDouble);
  EXPECT_FALSE(takes_exact_path("aten::mm", x));
  {
    const Exactly exact;
    EXPECT_TRUE(takes_exact_path("aten::mm", x));
    EXPECT_TRUE(takes_stable_path(x));
    EXPECT_EQ(product_bits(), 40);
  }
  EXPECT_FALSE(takes_stable_path(x));
  const Exactly coarser(18);
  EXPECT_EQ(product_bits(), 36);
}

TEST(Exactness, LeavesWholeNumbersToTheStockKernelAndRefusesOtherFloats) {
  const Exactly exact;
  EXPECT_FALSE(takes_exact_path("aten::mm", at::ones({1}, at::kLong)));
  EXPECT_FALSE(takes_exact_path("aten::mm", at::ones({1}, at::kBool)));
  EXPECT_EQ(refused([] { takes_exact_path("aten::mm", at::ones({1}, at::kFloat)); }),
            "aten::mm of float32 has no exact kernel");
  EXPECT_EQ(refused([] { takes_exact_path("aten::mm", at::ones({1}, at::kBFloat16)); }),
            "aten::mm of bfloat16 has no exact kernel");
  EXPECT_EQ(refused([] { takes_exact_path("aten::mm", at::ones({1}, at::kComplexDouble)); }),
            "aten::mm of complex128 has no exact kernel");
  EXPECT_EQ(refused([] { takes_exact_path("aten::mm", at::ones({1}, at::kDouble), at::ones({1}, at::kFloat)); }),
            "aten::mm of float32 has no exact kernel");
  EXPECT_FALSE(takes_stable_path(at::ones({1}, at::kFloat)));
}

}  // namespace
}  // namespace ordercheck::ranks
