#include "report/pages/transform_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(TransformView, CountsRunsAndListsPages) {
  const Sources sources = mini();
  const TransformView view = transform_view("tp", std::nullopt, sources, engine_runs_of(sources));
  EXPECT_EQ(view.run, "7 cases on native 2.11.0, cpu");
  ASSERT_THAT(view.pages, SizeIs(2));
  EXPECT_EQ(view.pages[0].page, "[ORD-901](../rules/order/fsdp-before-tp.md)");
}

TEST(TransformView, GroupsStacksByWhatTheyShowed) {
  const Sources sources = mini();
  const TransformView view = transform_view("tp", std::nullopt, sources, engine_runs_of(sources));
  ASSERT_FALSE(view.shown.empty());
  EXPECT_EQ(view.shown.front().target, "native 2.11.0");
  EXPECT_EQ(view.shown.front().verdict, "equal");
  EXPECT_EQ(view.shown.front().page, "");
  EXPECT_THAT(view.shown.front().stacks, HasSubstr("`tp=2,fsdp=2`"));
  for (const TransformShown& shown : view.shown)
    if (shown.verdict != "equal") EXPECT_NE(shown.page, "") << shown.stacks;
}

TEST(TransformView, ListsModesAfterTheFirstRowOfTheirTrafficTable) {
  const Sources sources = mini();
  const std::vector<EngineRuns> engines = engine_runs_of(sources);
  const std::vector<SentTable> tables = sent_tables(sources, engines.front());
  ASSERT_FALSE(tables.empty());
  const TransformView view = transform_view("tp", std::nullopt, sources, engines);
  ASSERT_FALSE(view.modes.empty());
  EXPECT_EQ(view.modes.front().bytes, tables.front().rows.front().bytes);
  for (std::size_t i = 1; i < view.modes.size(); ++i) EXPECT_THAT(view.modes[i].stack, HasSubstr("tp="));
  EXPECT_THAT(transform_view("ep", std::nullopt, sources, engines).modes, IsEmpty());
}

TEST(TransformView, HasNoRunOfWhatNoEngineBuilds) {
  const Sources sources = mini();
  const TransformView view = transform_view("ep", std::nullopt, sources, engine_runs_of(sources));
  EXPECT_EQ(view.run, "");
  EXPECT_THAT(view.pages, IsEmpty());
}

}  // namespace
}  // namespace ordercheck
