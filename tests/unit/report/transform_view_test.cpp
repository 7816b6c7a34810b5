#include "report/transform_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/mini.h"

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(TransformView, CountsRunsAndListsPages) {
  const Sources sources = mini();
  const TransformView view = transform_view("tp", std::nullopt, sources, engine_runs_of(sources));
  EXPECT_EQ(view.run, "7 cases on native 2.11.0, cpu");
  ASSERT_THAT(view.pages, SizeIs(2));
  EXPECT_EQ(view.pages[0].page, "[ORD-901](rules/fsdp-before-tp.md)");
}

TEST(TransformView, HasNoRunOfWhatNoEngineBuilds) {
  const Sources sources = mini();
  const TransformView view = transform_view("ep", std::nullopt, sources, engine_runs_of(sources));
  EXPECT_EQ(view.run, "");
  EXPECT_THAT(view.pages, IsEmpty());
}

}  // namespace
}  // namespace ordercheck
