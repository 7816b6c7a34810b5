#include "base/wording.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using Pair = std::pair<std::string, std::string>;

TEST(Counted, OneIsOne) {
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(2, "case"), "2 cases");
  EXPECT_EQ(counted(2, "advisory", "advisories"), "2 advisories");
}

TEST(Enumerated, HasAnAndBeforeTheLast) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"2.11.0"}), "2.11.0");
  EXPECT_EQ(enumerated({"2.11.0", "2.15.0"}), "2.11.0 and 2.15.0");
  EXPECT_EQ(enumerated({"2.11.0", "2.12.1", "2.15.0"}), "2.11.0, 2.12.1 and 2.15.0");
}

TEST(Decimals, HaveAsManyDigitsAsTellThemApart) {
  EXPECT_EQ(in_decimals(5.139583, 5.156642), (Pair{"5.13958", "5.15664"}));
  EXPECT_EQ(in_decimals(1, 1.00000001), (Pair{"1", "1.00000001"}));
  const double next = std::nextafter(0.1, 1);
  EXPECT_NE(in_decimals(0.1, next).first, in_decimals(0.1, next).second);
  EXPECT_EQ(in_decimals(0.0, -0.0), (Pair{"0", "-0"}));
  EXPECT_EQ(in_decimals(0, std::numeric_limits<double>::infinity()), (Pair{"0", "inf"}));
  EXPECT_EQ(in_decimals(7, 7), (Pair{"7", "7"})) << "with all digits, seven is seven";
}

TEST(Labelled, SaysNothingWhereThereIsNothing) {
  EXPECT_EQ(labelled(2, "but", 5, "a reason"), "  but   a reason\n");
  EXPECT_EQ(labelled(0, "grade", 5, "cited"), "grade cited\n");
  EXPECT_EQ(labelled(2, "but", 5, ""), "");
}

TEST(Columns, AreAsWideAsTheirWidestCell) {
  EXPECT_EQ(in_columns({{"a", "left", "right"}, {"verdict", "equal"}, {"b", "", "x"}}),
            "  a        left   right\n  verdict  equal\n  b               x\n");
  EXPECT_EQ(in_columns({}), "");
}

}  // namespace
}  // namespace ordercheck
