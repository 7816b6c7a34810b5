#include <limits>

#include <gtest/gtest.h>

#include "record/verdict_of_runs.h"
#include "unit/record/sample_record.h"

namespace ordercheck {
namespace {

TEST(Difference, NoneBetweenEqualRecords) {
  EXPECT_FALSE(first_difference(sample_record(), sample_record()));
  EXPECT_EQ(extent_of_difference(sample_record(), sample_record()), "0 of 3 gradients, 0 of 3 parameters");
}

TEST(Difference, OneBitOfALossOnOneRank) {
  Record got = sample_record(4);
  got.steps[1].loss[2].bits ^= 1;
  const auto difference = first_difference(sample_record(4), got);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->what, "loss");
  EXPECT_EQ(difference->step, 1);
  EXPECT_EQ(difference->rank, 2);
  EXPECT_EQ(difference->expected, hex(bits_of(3.5)));
}

TEST(Difference, ManyRanksAreHeldAgainstOne) {
  EXPECT_FALSE(first_difference(sample_record(1), sample_record(4)));
  Record got = sample_record(4);
  got.steps[0].gradient_norm[3].bits ^= 1;
  const auto difference = first_difference(sample_record(1), got);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->what, "gradient norm");
  EXPECT_EQ(difference->rank, 3);
}

TEST(Difference, ComparesBitsNotNumbers) {
  Record expected = sample_record(), got = sample_record();
  expected.steps[0].loss[0] = bits_of(0.0);
  got.steps[0].loss[0] = bits_of(-0.0);
  EXPECT_TRUE(first_difference(expected, got));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expected.steps[0].loss[0] = got.steps[0].loss[0] = bits_of(nan);
  EXPECT_FALSE(first_difference(expected, got));
}

// A step's gradients come before its norm, and a later step's loss is only a consequence.
TEST(Difference, IsTheFirstInTheOrderOfWork) {
  Record got = sample_record();
  got.parameters[0].value.words[0] ^= 1;
  EXPECT_EQ(first_difference(sample_record(), got)->what, "parameter tok_embeddings.weight");
  got.steps[1].loss[0].bits ^= 1;
  EXPECT_EQ(first_difference(sample_record(), got)->what, "loss");
  got.steps[0].gradient_norm[0].bits ^= 1;
  EXPECT_EQ(first_difference(sample_record(), got)->what, "gradient norm");
  got.parameters[2].gradient[0].words[0] ^= 1;
  EXPECT_EQ(first_difference(sample_record(), got)->what, "gradient of output.weight");
  got.parameters[1].gradient[0].words[0] ^= 1;
  EXPECT_EQ(first_difference(sample_record(), got)->what, "gradient of layers.0.attention.wq.weight");
  EXPECT_EQ(extent_of_difference(sample_record(), got), "2 of 3 gradients, 1 of 3 parameters");
}

TEST(Difference, AMissingTensorIsADifference) {
  Record got = sample_record();
  got.parameters.pop_back();
  EXPECT_EQ(first_difference(sample_record(), got)->what, "number of parameters");
  got = sample_record();
  got.parameters[1].shape = {3, 4};
  EXPECT_EQ(first_difference(sample_record(), got)->expected, "[4, 3]");
  EXPECT_EQ(extent_of_difference(sample_record(), got), "shape of layers.0.attention.wq.weight: [4, 3] against [3, 4]");
  got = sample_record(1, 1);
  EXPECT_EQ(first_difference(sample_record(), got)->what, "number of steps");
  got = sample_record();
  got.parameters[0].gradient.pop_back();
  EXPECT_EQ(first_difference(sample_record(), got)->what, "number of gradients of tok_embeddings.weight");
  got = sample_record();
  got.steps[0].loss.clear();
  EXPECT_EQ(first_difference(sample_record(), got)->what, "number of ranks that know the loss");
}

}  // namespace
}  // namespace ordercheck
