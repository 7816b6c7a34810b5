#include "stack/origin.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(Origin, IsWrittenAsCompilersWritePlaces) {
  EXPECT_EQ(in_words(Origin{"train.yaml", 5}), "train.yaml:5");
  EXPECT_EQ(in_words(Origin{"command line", 0}), "command line");
  EXPECT_EQ(in_words(Origin{}), "");
}

}  // namespace
}  // namespace ordercheck
