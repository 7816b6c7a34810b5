#include "report/pages/order_answer.h"

#include <gmock/gmock.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OrderAnswer answer_to(const Sources& sources) {
  const auto engines = engine_runs_of(sources);
  return order_answer(recommended_orders(sources, engines), pair_table(sources, engines), sources, engines);
}

TEST(OrderAnswer, TellsTheOrderAndWhoRanIt) {
  const OrderAnswer answer = answer_to(mini_on_pytorch());
  EXPECT_EQ(answer.target, "pytorch 2.15.0");
  EXPECT_THAT(answer.versions, ElementsAre("2.15.0"));
  EXPECT_THAT(answer.names, ElementsAre("tp", "ac", "fsdp"));
  EXPECT_THAT(answer.silent, IsEmpty()) << "what fails is not silent";
}

TEST(OrderAnswer, TellsWhatIsSilentlyWrongAndWhatToBuildInstead) {
  Sources sources = mini_on_pytorch();
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "fsdp=2,tp=2 engine=pytorch") {
      row.verdict = Verdict::differs;
      row.ending = Ending::completed;
    }
  sources.observations = observations_of(sources.evidence);
  const OrderAnswer answer = answer_to(sources);
  ASSERT_EQ(answer.silent.size(), 1u);
  EXPECT_EQ(answer.silent[0].bad, "fsdp=2,tp=2");
  EXPECT_EQ(answer.silent[0].good, "tp=2,fsdp=2");
}

TEST(OrderAnswer, WithoutARunThereIsTheOrderAlone) {
  const OrderAnswer answer = answer_to(mini_unrun());
  EXPECT_THAT(answer.versions, IsEmpty());
  EXPECT_THAT(answer.names, ElementsAre("tp", "ac", "fsdp"));
  EXPECT_THAT(answer.silent, IsEmpty());
  EXPECT_THAT(answer.blocked, IsEmpty());
}

}  // namespace
}  // namespace ordercheck
