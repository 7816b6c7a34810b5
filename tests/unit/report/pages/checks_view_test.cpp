#include "report/pages/checks_view.h"

#include <gmock/gmock.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

// The table of mini(), whose engine is that of definitions, and of the same without checks one order that the checks refuse.
Sources with_an_engine_without_checks() {
  Sources sources = mini();
  sources.definition = "native";
  sources.without_checks = "unchecked";
  EvidenceTable other = sources.evidence.at(0);
  other.engine = "unchecked";
  std::erase_if(other.rows, [](const Observation& row) { return row.case_text != "fsdp=2,tp=2"; });
  for (Observation& row : other.rows) {
    row.case_text += " engine=unchecked";
    row.verdict = Verdict::differs;
  }
  sources.evidence.push_back(other);
  return sources;
}

TEST(ChecksView, SetsWhatAnOrderDoesBesideWhatRefusesIt) {
  const Sources sources = with_an_engine_without_checks();
  const ChecksView view = checks_view(sources, engine_runs_of(sources));
  EXPECT_EQ(view.with_checks, "native 2.11.0");
  EXPECT_EQ(view.without_checks, "unchecked 2.11.0");
  ASSERT_EQ(view.rows.size(), 1u);
  EXPECT_EQ(view.rows[0].order, "`fsdp=2,tp=2`");
  EXPECT_EQ(view.rows[0].with_checks, "fails in apply");
  EXPECT_EQ(view.rows[0].without_checks, "silently wrong");
  EXPECT_THAT(view.rows[0].pages, HasSubstr("(incidental)"));
}

TEST(ChecksView, HasNoRowsWhereNothingRanWithoutChecks) {
  const Sources sources = mini();
  EXPECT_TRUE(checks_view(sources, engine_runs_of(sources)).rows.empty());
}

}  // namespace
}  // namespace ordercheck
