#include "evidence/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
