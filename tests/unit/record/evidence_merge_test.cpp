#include "record/evidence_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/evidence_table.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Part part(const std::string& path, const std::string& shard, const std::vector<std::string>& cases) {
  EvidenceTable table{.engine = "native", .versions = {"libtorch 2.11.0"}, .device = "cpu", .shard = shard};
  for (const std::string& text : cases) table.rows.push_back({.case_text = text, .verdict = Verdict::equal});
  return {.path = path, .table = table};
}

Control plain(int hits, int all, bool held) {
  return {.name = kPlainArithmetic, .held = held, .evidence = plain_arithmetic_in_words(hits, all)};
}

TEST(MergeParts, TheOrderOfArrivalDoesNotMatter) {
  const Part one = part("a.tsv", "1/2", {"ac", "tp=4"}), two = part("b.tsv", "2/2", {"fsdp=2"});
  const auto merged = merge_parts({two, one});
  ASSERT_TRUE(merged);
  EXPECT_EQ(print_evidence(merged->table), print_evidence(merge_parts({one, two})->table));
  EXPECT_THAT(merged->table.rows, SizeIs(3));
  EXPECT_EQ(merged->table.shard, "");
  EXPECT_THAT(merged->missing, IsEmpty());
}

TEST(MergeParts, CasesThatAgreeAreOneRow) {
  const auto merged = merge_parts({part("a.tsv", "1/2", {"ac", "tp=4"}), part("b.tsv", "2/2", {"ac"})});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->conflicts, IsEmpty());
  EXPECT_THAT(merged->table.rows, SizeIs(2));
}

TEST(MergeParts, CasesThatDisagreeAreToldByField) {
  Part other = part("b.tsv", "2/2", {"ac"});
  other.table.rows[0].verdict = Verdict::differs;
  const auto merged = merge_parts({other, part("a.tsv", "1/2", {"ac"})});
  ASSERT_TRUE(merged);
  ASSERT_THAT(merged->conflicts, SizeIs(1));
  const PartConflict& conflict = merged->conflicts[0];
  EXPECT_EQ(conflict.case_text, "ac");
  EXPECT_EQ(conflict.field, "verdict");
  EXPECT_EQ(conflict.one, "equal");
  EXPECT_EQ(conflict.one_path, "a.tsv");
  EXPECT_EQ(conflict.other, "differs");
  EXPECT_EQ(conflict.other_path, "b.tsv");
}

TEST(MergeParts, CasesThatOtherDriversRanDisagree) {
  Part one = part("a.tsv", "1/2", {"ac"}), two = part("b.tsv", "2/2", {"ac"});
  one.table.rows[0].sources = "c5d20cc646b2128b";
  two.table.rows[0].sources = "b5d20cc646b2128b";
  const auto merged = merge_parts({one, two});
  ASSERT_TRUE(merged);
  ASSERT_THAT(merged->conflicts, SizeIs(1));
  EXPECT_EQ(merged->conflicts[0].field, "sources");
}

TEST(MergeParts, AShardThatIsNotThereIsNamed) {
  const auto merged = merge_parts({part("c.tsv", "3/4", {"ac"}), part("a.tsv", "1/4", {"tp=2"})});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->missing, ElementsAre("2/4", "4/4"));
}

TEST(MergeParts, PartsOfTwoBuildsOrPlansAreRefused) {
  Part newer = part("b.tsv", "2/2", {"ac"});
  newer.table.versions = {"libtorch 2.15.0"};
  const auto builds = merge_parts({part("a.tsv", "1/2", {"tp=2"}), newer});
  ASSERT_FALSE(builds);
  EXPECT_THAT(builds.error().message, AllOf(HasSubstr("a.tsv"), HasSubstr("2.11.0"), HasSubstr("b.tsv"), HasSubstr("2.15.0")));
  newer.table.versions = {std::string("libtorch\0", 9)};
  EXPECT_THAT(merge_parts({part("a.tsv", "1/2", {"tp=2"}), newer}).error().message, HasSubstr("libtorch\\x00"));
  const auto plans = merge_parts({part("a.tsv", "1/2", {"tp=2"}), part("b.tsv", "2/3", {"ac"})});
  ASSERT_FALSE(plans);
  EXPECT_THAT(plans.error().message, AllOf(HasSubstr("1/2"), HasSubstr("2/3")));
}

TEST(MergeParts, CountsThatNoMatrixHasAreNotAddedUp) {
  Part one = part("a.tsv", "1/2", {"ac"}), two = part("b.tsv", "2/2", {"tp=2"});
  const std::string huge = "9223372036854775807 of 9223372036854775807 records are alike";
  one.table.controls = {{.name = "repeated runs", .held = true, .evidence = huge}};
  two.table.controls = one.table.controls;
  const auto merged = merge_parts({one, two});
  ASSERT_TRUE(merged);
  ASSERT_THAT(merged->table.controls, SizeIs(1));
  EXPECT_EQ(merged->table.controls[0].evidence, huge);
}

// One part had a single layout, which did not differ; over all of them enough do.
TEST(MergeParts, AControlIsJudgedOverAllParts) {
  Part one = part("a.tsv", "1/2", {"ac"}), two = part("b.tsv", "2/2", {"tp=2"});
  one.table.controls = {plain(0, 1, false)};
  two.table.controls = {plain(4, 4, true)};
  const auto held = merge_parts({one, two});
  ASSERT_TRUE(held);
  EXPECT_THAT(held->table.controls, ElementsAre(plain(4, 5, true)));
  two.table.controls = {plain(0, 3, false)};
  EXPECT_THAT(merge_parts({one, two})->table.controls, ElementsAre(plain(0, 4, false)));
}

TEST(MergeParts, APartOfOneCaseIsCountedWithTheOthers) {
  Part one = part("a.tsv", "1/2", {"ac"}), two = part("b.tsv", "2/2", {"tp=2", "tp=4"});
  const auto repeated = [](long long alike) {
    return Control{.name = kRepeatedRuns, .held = true, .evidence = repeated_runs_in_words({.alike = alike, .twice = alike})};
  };
  one.table.controls = {repeated(1)};
  two.table.controls = {repeated(2)};
  EXPECT_THAT(merge_parts({one, two})->table.controls, ElementsAre(repeated(3)));
}

TEST(MergeParts, APartThatCameTwiceCountsOnce) {
  Part one = part("a.tsv", "1/1", {"ac"});
  one.table.controls = {plain(1, 1, true)};
  Part again = one;
  again.path = "again.tsv";
  EXPECT_THAT(merge_parts({one, again})->table.controls, ElementsAre(plain(1, 1, true)));
}

TEST(MergeParts, AControlThatFailedInAPartFailed) {
  Part one = part("a.tsv", "1/2", {"ac"}), two = part("b.tsv", "2/2", {"tp=2"});
  one.table.controls = {{.name = "repeated runs", .held = true, .evidence = "2 of 2 records"}};
  two.table.controls = {{.name = "repeated runs", .held = false, .evidence = "1 of 2 records"}};
  const auto merged = merge_parts({one, two});
  EXPECT_THAT(merged->table.controls,
              ElementsAre(Control{.name = "repeated runs", .held = false, .evidence = "3 of 4 records"}));
}

}  // namespace
}  // namespace ordercheck
