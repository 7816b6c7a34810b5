#include "trial/variants.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Variants, AnotherSeedAndInExactArithmeticAnotherGrid) {
  Case c{.stack = *parse_stack("tp=2")};
  c.settings.seed = 7;
  auto variants = variants_of(c);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(print(variants[0]), "tp=2 seed=8");
  EXPECT_EQ(print(variants[1]), "tp=2 grid=18 seed=7");
  c.settings.arithmetic = Arithmetic::plain;
  EXPECT_EQ(variants_of(c).size(), 1u);
}

}  // namespace
}  // namespace ordercheck
