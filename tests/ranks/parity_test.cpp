// Every legal stack owes every bit of one rank: loss, gradients, gradient norm, parameters, three steps.
#include <algorithm>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

const std::vector<std::string>& legal_stacks() {
  static const std::vector<std::string> stacks{
      "(nothing)",       "ac",             "ac=selective:n=2",      "tp=2",          "tp=3",
      "tp=4",            "tp=2:sp=off",    "fsdp=2",                "fsdp=3",        "fsdp=4",
      "fsdp=2:reshard=always", "fsdp=2:reshard=never", "fsdp=2@model", "tp=2,ac",     "ac,fsdp=2",
      "fsdp=2,ac",       "tp=2,fsdp=2",    "tp=2,ac,fsdp=2",        "tp=2,fsdp=2,ac", "optimizer=sgd",
      "tp=2,fsdp=2,optimizer=sgd:clip=0.5", "ac,fsdp=4,optimizer=adamw"};
  return stacks;
}

class Parity : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Parity, EveryBitOfOneRank) {
  Case subject = case_of(std::get<0>(GetParam()));
  subject.settings.accumulation = std::get<1>(GetParam());
  const Record record = run(subject);
  ASSERT_EQ(record.ending, Ending::completed) << record.failure->message;
  const auto difference = first_difference(reference(subject), record);
  EXPECT_FALSE(difference) << in_words(*difference) << "; " << extent_of_difference(reference(subject), record);
  for (const ParameterRecord& parameter : record.parameters) {
    EXPECT_TRUE(parameter.replicas_agree) << parameter.name;
    EXPECT_TRUE(parameter.changed) << parameter.name;
  }
  EXPECT_LT(record.range_used, 1);
}

INSTANTIATE_TEST_SUITE_P(LegalStacks, Parity, testing::Combine(testing::ValuesIn(legal_stacks()), testing::Values(1, 2, 4)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_in_" + std::to_string(std::get<1>(info.param));
                           std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(Parity, HoldsForOtherSeedsAndAnotherGrid) {
  for (const char* text : {"tp=2,ac,fsdp=2 seed=2", "tp=2,ac,fsdp=2 seed=3", "tp=2,ac,fsdp=2 grid=18"}) {
    const Case subject = case_of(text);
    const auto difference = first_difference(reference(subject), run(subject));
    EXPECT_FALSE(difference) << text << ": " << in_words(*difference);
  }
}

// Which microbatches a step is cut into must not matter either: the reference of one accumulation serves all.
TEST(Parity, AccumulationDoesNotMatter) {
  const Record once = run(case_of("tp=2,fsdp=2 accumulation=1"));
  const auto difference = first_difference(once, run(case_of("tp=2,fsdp=2 accumulation=4")));
  EXPECT_FALSE(difference) << in_words(*difference);
}

// The control: without the grid most layouts differ, so the comparison is known to be able to fail.
TEST(Parity, WithTheGridOffMostLayoutsDiffer) {
  int layouts = 0, differing = 0;
  for (const std::string& text : legal_stacks()) {
    Case subject = case_of(text);
    subject.settings.arithmetic = Arithmetic::plain;
    const Record record = run(subject);
    if (record.world_size == 1) continue;
    ++layouts;
    differing += first_difference(reference(subject), record).has_value();
  }
  EXPECT_GT(2 * differing, layouts) << differing << " of " << layouts;
  RecordProperty("differing", differing);
}

TEST(Parity, ACaseIsEqualToItself) {
  const Case subject = case_of("tp=2,ac,fsdp=2");
  EXPECT_EQ(digest(run(subject)), digest(run(subject)));
}

TEST(Parity, LeavesTheRangeVisibly) {
  const Record record = run(case_of("(nothing) grid=26"));
  EXPECT_EQ(record.ending, Ending::out_of_range);
  EXPECT_NE(record.failure->message.find("exact arithmetic left its range"), std::string::npos)
      << record.failure->message;
}

}  // namespace
}  // namespace ordercheck::ranks
