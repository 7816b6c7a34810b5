#include "evidence/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

EvidenceTable older() {
  EvidenceTable table{.engine = "pytorch"};
  table.rows = {{.case_text = "ac", .verdict = Verdict::equal},
                {.case_text = "compile", .verdict = Verdict::fails, .phase = Phase::apply, .message = "TypeError: no"},
                {.case_text = "fsdp=2", .verdict = Verdict::equal, .counters = {.matmul_flops = 5}},
                {.case_text = "tp=2", .verdict = Verdict::differs}};
  return table;
}

TEST(DiffOf, NothingWhereOnlyWordsAndDigestsChanged) {
  auto newer = older();
  newer.rows[0].message = "other words";
  newer.rows[0].digest.words[0] = 1;
  const TableDiff diff = diff_of(older(), newer);
  EXPECT_THAT(diff.changes, IsEmpty());
  EXPECT_EQ(diff.in_both, 4u);
}

TEST(DiffOf, WorseComesFirstAndEachCaseOnce) {
  auto newer = older();
  newer.rows[1].phase = Phase::forward;
  newer.rows[2].verdict = Verdict::ignored;
  newer.rows[2].counters.matmul_flops = 9;
  newer.rows[3].verdict = Verdict::equal;
  const TableDiff diff = diff_of(older(), newer);
  ASSERT_THAT(diff.changes, SizeIs(3));
  EXPECT_EQ(diff.changes[0].kind, ChangeKind::worse);
  EXPECT_EQ(diff.changes[0].case_text, "fsdp=2");
  EXPECT_EQ(diff.changes[1].kind, ChangeKind::better);
  EXPECT_EQ(diff.changes[1].case_text, "tp=2");
  EXPECT_EQ(diff.changes[2].kind, ChangeKind::ending);
}

TEST(DiffOf, CountersShowWhatDiffersAlone) {
  auto newer = older();
  newer.rows[2].counters.matmul_flops = 9;
  const TableDiff diff = diff_of(older(), newer);
  ASSERT_THAT(diff.changes, SizeIs(1));
  EXPECT_EQ(diff.changes[0].kind, ChangeKind::counters);
  EXPECT_EQ(diff.changes[0].before, "matmul_flops=5");
  EXPECT_EQ(diff.changes[0].after, "matmul_flops=9");
}

TEST(DiffOf, CasesOfOneSideAreToldLast) {
  auto newer = older();
  newer.rows[0].case_text = "aa";
  const TableDiff diff = diff_of(older(), newer);
  ASSERT_THAT(diff.changes, SizeIs(2));
  EXPECT_EQ(diff.changes[0].kind, ChangeKind::only_before);
  EXPECT_EQ(diff.changes[0].case_text, "ac");
  EXPECT_EQ(diff.changes[1].kind, ChangeKind::only_after);
}

}  // namespace
}  // namespace ordercheck
