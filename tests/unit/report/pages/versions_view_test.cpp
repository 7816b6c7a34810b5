#include "report/pages/versions_view.h"

#include <utility>

#include <gmock/gmock.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The table of mini(), and an older one in which one case was equal and another was not run.
Sources with_an_older_version() {
  Sources sources = mini();
  EvidenceTable older = table_where_order_does_not_matter(sources);
  older.versions = {"libtorch 2.10.0"};
  std::erase_if(older.rows, [](const Observation& row) { return row.case_text == "tp=2"; });
  sources.evidence.push_back(older);
  return sources;
}

TEST(VersionsView, ListsTheCasesThatChangedAndNoOther) {
  const Sources sources = with_an_older_version();
  const auto views = versions_views(sources, engine_runs_of(sources));
  ASSERT_EQ(views.size(), 1u);
  EXPECT_EQ(views[0].engine, "native, cpu");
  EXPECT_THAT(views[0].versions, ElementsAre("2.10.0", "2.11.0"));
  ASSERT_EQ(views[0].rows.size(), 1u);
  EXPECT_EQ(views[0].rows[0].order, "`fsdp=2,tp=2`");
  EXPECT_THAT(views[0].rows[0].cells, ElementsAre("equal", "fails in apply"));
}

// The same as a published project, whose releases run on a torch.
TEST(VersionsView, SaysWhatIsGoneAndWhatIsNewInAReleaseOfAProject) {
  Sources sources = with_an_older_version();
  sources.evidence[1].versions = {"native 2.10.0", "torch 2.15.0"};
  sources.evidence[0].versions = {"native 2.11.0", "torch 2.15.0"};
  auto views = versions_views(sources, engine_runs_of(sources));
  ASSERT_EQ(views.size(), 1u);
  EXPECT_THAT(views[0].versions, ElementsAre("2.10.0 on torch 2.15.0", "2.11.0 on torch 2.15.0"));
  ASSERT_EQ(views[0].rows.size(), 1u);
  EXPECT_EQ(views[0].rows[0].change, "new in 2.11.0");
  ASSERT_EQ(views[0].lines.size(), 4u);
  EXPECT_EQ(views[0].lines[0].label, "Silently wrong on native 2.10.0 on torch 2.15.0");
  EXPECT_EQ(views[0].lines[2].text, "nothing that ran") << views[0].lines[2].label;
  EXPECT_EQ(views[0].lines[3].label, "New in native 2.11.0");
  EXPECT_THAT(views[0].lines[3].text, HasSubstr("`fsdp=2,tp=2` ("));

  std::swap(sources.evidence[0].rows, sources.evidence[1].rows);
  views = versions_views(sources, engine_runs_of(sources));
  ASSERT_EQ(views[0].rows.size(), 1u);
  EXPECT_EQ(views[0].rows[0].change, "gone in 2.11.0");
  EXPECT_THAT(views[0].lines[2].text, HasSubstr("`fsdp=2,tp=2` ("));
  EXPECT_EQ(views[0].lines[3].text, "nothing that ran");
}

// What one torch cured, the next release did not.
TEST(VersionsView, AHarmIsGoneWhereTheLastVersionBeforeHadIt) {
  Sources sources = with_an_older_version();
  EvidenceTable between = sources.evidence[1];  // equal
  sources.evidence[1].versions = {"native 2.10.0", "torch 2.15.0"};
  sources.evidence[0].versions = {"native 2.11.0", "torch 2.15.0"};
  std::swap(sources.evidence[0].rows, sources.evidence[1].rows);  // fails, then equal
  between.versions = {"native 2.10.0", "torch 2.16.0"};
  sources.evidence.push_back(between);
  const auto views = versions_views(sources, engine_runs_of(sources));
  ASSERT_EQ(views.size(), 1u);
  ASSERT_EQ(views[0].rows.size(), 1u);
  EXPECT_THAT(views[0].rows[0].cells, ElementsAre("fails in apply", "equal", "equal"));
  EXPECT_EQ(views[0].rows[0].change, "");
}

TEST(VersionsView, NeedsTwoVersions) {
  const Sources sources = mini();
  EXPECT_TRUE(versions_views(sources, engine_runs_of(sources)).empty());
}

}  // namespace
}  // namespace ordercheck
