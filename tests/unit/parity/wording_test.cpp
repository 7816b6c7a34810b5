#include "parity/wording.h"

#include <cmath>

#include <gmock/gmock.h>

#include "unit/parity/sample_record.h"

namespace ordercheck {
namespace {

std::string words(double owed, double got) {
  return in_words({.what = "loss", .step = 0, .rank = 1, .expected = hex(bits_of(owed)), .got = hex(bits_of(got))},
                  "the single-rank reference");
}

TEST(DifferenceInWords, NumbersAreDecimalsAndTheirDistance) {
  EXPECT_EQ(words(5.15664, 5.13958),
            "loss of step 0 on rank 1 is 5.13958, the single-rank reference has 5.15664, 0.0171 apart");
  EXPECT_EQ(words(1, std::nextafter(1, 2)),
            "loss of step 0 on rank 1 is 1.0000000000000002, the single-rank reference has 1, 2.22e-16 apart");
  EXPECT_EQ(words(1, NAN), "loss of step 0 on rank 1 is nan, the single-rank reference has 1");
  EXPECT_EQ(words(0, -0.0), "loss of step 0 on rank 1 is -0, the single-rank reference has 0, 0 apart");
}

TEST(NumbersOf, AreThoseOfTheSentence) {
  const auto of = [](double owed, double got) {
    return numbers_of({.what = "loss", .rank = 0, .expected = hex(bits_of(owed)), .got = hex(bits_of(got))});
  };
  const auto numbers = of(5.15664, 5.13958);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->expected, "5.15664");
  EXPECT_EQ(numbers->got, "5.13958");
  EXPECT_EQ(numbers->apart, "0.0171");
  EXPECT_EQ(of(1, NAN)->apart, "") << "no number is that far from one";
}

TEST(DifferenceInWords, HashesAreNotTold) {
  Record got = sample_record();
  got.parameters[2].gradient[0].words[0] ^= 1;
  const auto difference = first_difference(sample_record(), got);
  EXPECT_EQ(in_words(*difference, "the single-rank reference"),
            "gradient of output.weight of step 0 is not that of the single-rank reference");
  EXPECT_FALSE(numbers_of(*difference));
  EXPECT_EQ(difference->got.size(), 32u) << "they are there for JSON";
}

TEST(DifferenceInWords, OutlinesAreToldAsTheyAre) {
  EXPECT_EQ(in_words({.what = "number of parameters", .expected = "3", .got = "2"}, "the single-rank reference"),
            "number of parameters of step 0 is 2, the single-rank reference has 3");
}

TEST(EndingInWords, NamesItsPlace) {
  Record record = sample_failure(Ending::failed, Phase::backward, "ranks disagree");
  record.failure = Failure{.phase = Phase::backward,
                           .rank = 1,
                           .module = "layers.0",
                           .operation = "all_gather",
                           .group = "tp",
                           .sequence = 7,
                           .message = "ranks disagree",
                           .ranks = {}};
  EXPECT_EQ(ending_in_words(record), "failed (backward, layers.0, in all_gather on tp #7, rank 1): ranks disagree");
}

}  // namespace
}  // namespace ordercheck
