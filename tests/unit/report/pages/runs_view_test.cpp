#include "report/pages/runs_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

TEST(EngineView, ListsEveryContradictionWithWhatExplainsIt) {
  const Sources sources = mini();
  const EngineView view = engine_view(sources, engine_runs_of(sources).at(0));
  EXPECT_EQ(view.confirmed, "6");
  EXPECT_EQ(view.explained, "1");
  EXPECT_EQ(view.contradictions, "2");
  EXPECT_EQ(view.undecided, "1");
  ASSERT_EQ(view.rows.size(), 3u);
  EXPECT_EQ(view.rows[1].what, "`ac,tp=2`");
  EXPECT_EQ(view.rows[1].claimed, "ORD-902 predicts differs; seen: equal");
  EXPECT_EQ(view.rows[1].explanation, "the invented engine looks through the wrapper");
  EXPECT_EQ(view.rows[2].seen, "`no rank can go on`");
  EXPECT_EQ(view.rows[2].explanation, "no rule explains it");
}

}  // namespace
}  // namespace ordercheck
