#include "native/arith/range.h"

#include <limits>

#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(Range, KeepsTheLargestShare) {
  reset_range(1);
  note_sum(2048, 40, "a test");  // allowed: 2^13
  note_sum(1024, 40, "a test");
  EXPECT_EQ(range_used(), 0.25);
}

TEST(Range, CountsWhatIsAddedUpOutside) {
  reset_range(4);
  note_sum(1024, 40, "a test");
  EXPECT_EQ(range_used(), 0.5);
  EXPECT_THROW(note_sum(2048, 40, "a test"), OutOfRange);
}

TEST(Range, RefusesNotANumber) {
  reset_range(1);
  EXPECT_THROW(note_sum(std::numeric_limits<double>::quiet_NaN(), 40, "a test"), OutOfRange);
}

TEST(Range, NamesTheOperator) {
  reset_range(1);
  try {
    note_sum(1e9, 40, "a linear");
    FAIL() << "1e9 is past 2^13";
  } catch (const OutOfRange& error) {
    EXPECT_NE(std::string(error.what()).find("a linear"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ordercheck::ranks
