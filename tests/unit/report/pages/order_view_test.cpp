#include "report/pages/order_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(RecommendedOrders, SayWhichOfTheirTransformsNoRunHolds) {
  Sources sources = mini_on_pytorch();
  ASSERT_THAT(recommended_orders(sources, engine_runs_of(sources)).at(0).not_run, IsEmpty());
  for (EvidenceTable& table : sources.evidence)
    std::erase_if(table.rows, [](const Observation& row) { return row.case_text.find("ac") != std::string::npos; });
  sources.observations = observations_of(sources.evidence);
  const RecommendedOrder order = recommended_orders(sources, engine_runs_of(sources)).at(0);
  EXPECT_THAT(order.names, Contains("ac"));
  EXPECT_THAT(order.not_run, ElementsAre("ac"));
}

TEST(RecommendedOrders, OfNothingRecordedAreNotShortened) {
  const Sources sources = mini_unrun();
  EXPECT_THAT(recommended_orders(sources, engine_runs_of(sources)).at(0).not_run, IsEmpty());
}

TEST(RecommendedOrders, SayWhatTheOtherWayShowed) {
  const auto shown = [](const Sources& sources) {
    std::vector<std::string> texts;
    for (const PairReason& reason : recommended_orders(sources, engine_runs_of(sources)).at(0).reasons)
      texts.push_back(reason.other_way);
    return texts;
  };
  EXPECT_THAT(shown(mini_on_pytorch()), ElementsAre("no difference", "no difference"));
  EXPECT_THAT(shown(mini_unrun()), ElementsAre("not run yet", "not run yet"));
}

}  // namespace
}  // namespace ordercheck
