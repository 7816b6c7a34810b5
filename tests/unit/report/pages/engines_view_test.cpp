#include "report/pages/engines_view.h"

#include <gmock/gmock.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

// The table of mini(), and one of another engine that saw the same but for one case.
Sources with_another_engine() {
  Sources sources = mini();
  EvidenceTable other = table_where_order_does_not_matter(sources);
  other.engine = "pytorch";
  other.versions = {"torch 2.11.0"};
  for (Observation& row : other.rows) row.case_text += " engine=pytorch";
  sources.evidence.push_back(other);
  return sources;
}

TEST(EnginesView, ListsTheCasesOnWhichTheyDisagree) {
  const Sources sources = with_another_engine();
  const EnginesView view = engines_view(sources, engine_runs_of(sources));
  EXPECT_THAT(view.engines, ElementsAre("native 2.11.0, cpu", "pytorch 2.11.0, cpu"));
  ASSERT_EQ(view.rows.size(), 1u);
  EXPECT_EQ(view.rows[0].order, "`fsdp=2,tp=2`");
  EXPECT_THAT(view.rows[0].cells, ElementsAre("fails in apply", "equal"));
  EXPECT_NE(view.rows[0].explanation, "");
  EXPECT_EQ(std::stoul(view.same) + 1, sources.evidence.at(0).rows.size());
}

TEST(EnginesView, OneEngineAgreesWithItself) {
  const Sources sources = mini();
  EXPECT_TRUE(engines_view(sources, engine_runs_of(sources)).rows.empty());
}

}  // namespace
}  // namespace ordercheck
