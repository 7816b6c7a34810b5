#include "report/pages/runs_view.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

EngineView view_of(const Sources& sources) { return engine_view(sources, engine_runs_of(sources).at(0)); }

const VerdictGroup& group(const EngineView& view, const std::string& verdict) {
  const auto found = std::ranges::find(view.runs, verdict, &VerdictGroup::verdict);
  static const VerdictGroup kNone;
  EXPECT_NE(found, view.runs.end()) << verdict;
  return found == view.runs.end() ? kNone : *found;
}

TEST(EngineView, PutsCasesThatShowedTheSameTogether) {
  Sources sources = mini();
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "fsdp=2,tp=2") {
      Observation again = row;
      again.case_text = "fsdp=4,tp=2 engine=native";
      sources.evidence.at(0).rows.push_back(again);
      break;
    }
  const EngineView view = view_of(sources);
  const VerdictGroup& fails = group(view, "fails");
  EXPECT_EQ(fails.cases, "2 cases");
  ASSERT_EQ(fails.groups.size(), 1u);
  EXPECT_EQ(fails.groups[0].place, "in apply");
  EXPECT_EQ(fails.groups[0].seen, "`cannot split a sharded | parameter`, in layers.0, all_gather on tp");
  EXPECT_THAT(fails.groups[0].cases, ElementsAre("`fsdp=2,tp=2`", "`fsdp=4,tp=2`"));
  EXPECT_EQ(group(view, "equal").groups.size(), 1u);
}

// What rules say of runs stands on another page, so that a new rule changes this one nowhere.
TEST(EngineView, IsTheSameWithoutARule) {
  const Sources sources = mini();
  Sources ruleless = sources;
  ruleless.rules.clear();
  const EngineView one = engine_view(sources, engine_runs_of(sources).at(0)),
                   other = engine_view(ruleless, engine_runs_of(ruleless).at(0));
  EXPECT_EQ(one.verdicts, other.verdicts);
  ASSERT_EQ(one.runs.size(), other.runs.size());
  for (std::size_t i = 0; i < one.runs.size(); ++i) EXPECT_EQ(one.runs[i].groups.size(), other.runs[i].groups.size());
}

}  // namespace
}  // namespace ordercheck
