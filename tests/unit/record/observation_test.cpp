#include "record/observation.h"

#include <gtest/gtest.h>

#include "record/verdict_of_runs.h"
#include "stack/notation.h"
#include "unit/record/sample_record.h"

namespace ordercheck {
namespace {

TEST(Observation, OfAFailureKeepsItsPlaceAndNoCounters) {
  Comparison failed{.subject = {.stack = *parse_stack("ac,tp=2")},
                    .first = sample_failure(Ending::failed, Phase::apply, "mixed tensors")};
  failed.first.failure->module = "layers.0";
  failed.first.failure->operation = "all_gather";
  failed.first.failure->group = "tp";
  failed.first.counters.matmul_flops = 5;
  failed.first.versions = {"libtorch 2.11.0"};
  const Observation seen = judge(failed);
  EXPECT_EQ(seen.engine, "native");
  EXPECT_EQ(seen.version, "2.11.0");
  EXPECT_EQ(seen.case_text, "ac,tp=2");
  EXPECT_EQ(seen.phase, Phase::apply);
  EXPECT_EQ(place_of(seen), "layers.0, all_gather on tp");
  EXPECT_EQ(seen.message, "mixed tensors");
  EXPECT_EQ(seen.counters, Counters{});
  EXPECT_EQ(seen.digest, digest(failed.first));
}

TEST(Observation, OfADifferenceNamesTheFirst) {
  Observation seen;
  EXPECT_EQ(place_of(seen), "");
  seen.difference = Difference{.what = "loss", .step = 1, .rank = 2};
  EXPECT_EQ(place_of(seen), "loss, step 1, rank 2");
}

TEST(Observation, NamesTheItemsThatLostTheirEffect) {
  Observation seen;
  seen.effects = {{.transform = "tp=2", .present = true}, {.transform = "ac", .present = false}};
  EXPECT_EQ(lost_items(seen), std::vector<std::string>{"ac"});
}

TEST(Observation, TellsALossFromItsEffectsWhateverTheMessageSays) {
  Observation seen{.verdict = Verdict::ignored, .message = "bitwise equal, but compile has no effect: 7 graphs captured"};
  EXPECT_EQ(reason_of(seen), seen.message) << "no effect is lost: a parameter never changed";
  seen.effects = {{.transform = "compile", .partly = true, .signs = {{"7 graphs captured"}, {"92 of 98 products", true}}}};
  EXPECT_EQ(reason_of(seen), "compile has only a part of its effect: 92 of 98 products (7 graphs captured)");
  seen.verdict = Verdict::differs;
  EXPECT_EQ(reason_of(seen), seen.message) << "numbers that differ come first";
}

}  // namespace
}  // namespace ordercheck
