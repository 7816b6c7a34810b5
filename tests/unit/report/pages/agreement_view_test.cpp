#include "report/pages/agreement_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

AgreementView view_of(const Sources& sources) { return agreement_view(sources, engine_runs_of(sources).at(0)); }

TEST(AgreementView, ListsEveryContradictionWithWhatExplainsIt) {
  const AgreementView view = view_of(mini());
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

TEST(AgreementView, SaysWhyCasesAreOpenAndWhatWasLeftOut) {
  Sources sources = mini();
  EXPECT_EQ(view_of(sources).left_out,
            "the native engine builds no compile (1 case); asked for by rules, orders or space, and not run yet (11 cases)");
  for (Rule& rule : sources.rules)
    if (rule.id == "ORD-902") rule.holds = {Holds{.project = "pytorch"}};
  const AgreementView view = view_of(sources);
  ASSERT_EQ(view.open_cases.size(), 1u);
  EXPECT_EQ(view.open_cases[0].why, "no rule speaks about this engine and version (ORD-902 speaks about others)");
  EXPECT_THAT(view.open_cases[0].cases, testing::Contains("`ac,tp=2`"));
}

}  // namespace
}  // namespace ordercheck
