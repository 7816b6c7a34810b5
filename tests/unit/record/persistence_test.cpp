#include "record/persistence.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Persistence, AnotherSeedAndInExactArithmeticAnotherGrid) {
  Case c{.stack = *parse_stack("tp=2")};
  c.settings.seed = 7;
  auto variants = variants_of(c);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(print(variants[0]), "tp=2 seed=8");
  EXPECT_EQ(print(variants[1]), "tp=2 grid=18 seed=7");
  c.settings.arithmetic = Arithmetic::plain;
  EXPECT_EQ(variants_of(c).size(), 1u);
}

TEST(Persistence, ADifferenceCountsWhereEveryVariantHasIt) {
  Record completed, killed;
  killed.ending = Ending::killed;
  std::string how;
  EXPECT_EQ(persists({{"with seed 2", &completed, true}, {"on the grid 2^-18", &completed, true}}, how), Verdict::differs);
  EXPECT_EQ(how, "also with seed 2, also on the grid 2^-18");
  EXPECT_EQ(persists({{"with seed 2", &completed, true}, {"on the grid 2^-18", &completed, false}}, how), Verdict::unstable);
  EXPECT_EQ(how, "not there on the grid 2^-18");
  EXPECT_EQ(persists({{"with seed 2", &killed, false}}, how), Verdict::unrun);
  EXPECT_EQ(how.find("with seed 2 it could not be run"), 0u) << how;
}

}  // namespace
}  // namespace ordercheck
