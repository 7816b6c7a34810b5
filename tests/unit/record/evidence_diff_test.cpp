#include "record/evidence_diff.h"

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

using testing::ElementsAre;

EvidenceTable committed() {
  EvidenceTable table{.engine = "native"};
  table.rows = {
      {.case_text = "ac", .verdict = Verdict::equal, .effects = {{.transform = "ac", .present = true, .signs = {{"a"}}}}},
      {.case_text = "tp=2", .verdict = Verdict::equal, .counters = {.matmul_flops = 5}}};
  return table;
}

TEST(Changes, NoneWhereOnlyWordsChanged) {
  auto seen = committed();
  seen.rows[0].message = "another message";
  seen.rows[0].effects[0].signs = {{"other words"}};
  seen.rows[0].digest.words[0] = 1;
  EXPECT_THAT(changes(committed(), seen), IsEmpty());
}

TEST(Changes, AVerdictStandsForItsRow) {
  auto seen = committed();
  seen.rows[0].verdict = Verdict::fails;
  seen.rows[0].phase = Phase::apply;
  seen.rows[0].counters.graph_breaks = 2;
  EXPECT_THAT(changes(committed(), seen), ElementsAre("- ac: equal", "+ ac: fails in apply"));
}

TEST(Changes, AFailureOfAnotherPhaseOrKindOfMessage) {
  auto before = committed();
  before.rows[0].verdict = Verdict::fails;
  before.rows[0].phase = Phase::apply;
  before.rows[0].message = "RuntimeError: [rank 3] got mixed torch.Tensor and DTensor at 0x7f1a2b, see more";
  auto seen = before;
  seen.rows[0].message = "RuntimeError: [rank 11] got mixed torch.Tensor and DTensor at 0x55aa00, see more";
  EXPECT_THAT(changes(before, seen), IsEmpty()) << "numbers and addresses vary";
  seen.rows[0].message = "AssertionError: got mixed torch.Tensor and DTensor";
  EXPECT_THAT(changes(before, seen), ElementsAre("- ac: fails in apply: " + before.rows[0].message,
                                                 "+ ac: fails in apply: AssertionError: got mixed torch.Tensor and DTensor"));
  seen = before;
  seen.rows[0].phase = Phase::forward;
  EXPECT_THAT(changes(before, seen), testing::SizeIs(2));
}

TEST(Changes, EffectsCountersAndCollectives) {
  auto seen = committed();
  seen.rows[0].effects[0].present = false;
  seen.rows[1].counters.matmul_flops = 6;
  seen.rows[1].collectives = {{.kind = "send", .group = "pp", .phase = Phase::forward, .count = 1, .bytes = 8}};
  EXPECT_THAT(changes(committed(), seen), ElementsAre("- ac: effects ac yes", "+ ac: effects ac no", "- tp=2: matmul_flops=5",
                                                      "+ tp=2: matmul_flops=6", "- tp=2: ", "+ tp=2: send:pp:forward:1:8"));
}

TEST(Changes, CasesOfOneSideCountOnlyForAWholeMatrix) {
  auto seen = committed();
  seen.rows[0].case_text = "ac,tp=2";
  EXPECT_THAT(changes(committed(), seen), ElementsAre("- ac: equal", "+ ac,tp=2: equal"));
  seen.rows.erase(seen.rows.begin());
  EXPECT_THAT(changes(committed(), seen, false), IsEmpty());
}

}  // namespace
}  // namespace ordercheck
