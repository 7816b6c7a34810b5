#include "evidence/repeated_runs.h"

#include <gtest/gtest.h>

#include "evidence/control_words.h"

namespace ordercheck {
namespace {

Control control_of(const RepeatedRuns& runs) {
  return {.name = kRepeatedRuns, .held = runs.alike == runs.twice, .evidence = repeated_runs_in_words(runs)};
}

EvidenceTable part_of(const std::string& case_text, const RepeatedRuns& runs, Ending ending = Ending::completed) {
  EvidenceTable part;
  part.controls = {control_of(runs)};
  part.rows = {{.case_text = case_text, .ending = ending}};
  return part;
}

const Control kOneUnlike = control_of({.alike = 283, .twice = 284, .first_unlike = "tp=2,ac engine=pytorch"});

TEST(RepeatedRuns, WordsAreReadAgain) {
  for (const RepeatedRuns& runs : {RepeatedRuns{5, 5, ""}, RepeatedRuns{1, 2, "tp=2,ac engine=pytorch"}}) {
    EXPECT_EQ(parse_repeated_runs(repeated_runs_in_words(runs)), runs);
  }
  for (const char* other : {"", "none of the cases completed", "2 of 1 records", "one of 2 records", "-1 of 2 records"})
    EXPECT_FALSE(parse_repeated_runs(other)) << other;
}

TEST(RepeatedRuns, TheOneCaseThatWasUnlikeItselfRunAnewClearsTheTable) {
  const Control cleared = with_repeated(kOneUnlike, part_of("tp=2,ac engine=pytorch", {1, 1, ""}));
  EXPECT_TRUE(cleared.held);
  EXPECT_EQ(cleared.evidence, "284 of 284 records have the digest of their second run");
}

TEST(RepeatedRuns, OneThatDoesNotCompleteAnyMoreIsNotCounted) {
  const Control cleared = with_repeated(kOneUnlike, part_of("tp=2,ac engine=pytorch", {1, 1, ""}, Ending::failed));
  EXPECT_EQ(cleared.evidence, "283 of 283 records have the digest of their second run");
}

TEST(RepeatedRuns, AnotherCaseOrSeveralUnlikeThemselvesClearNothing) {
  EXPECT_EQ(with_repeated(kOneUnlike, part_of("ac engine=pytorch", {1, 1, ""})), kOneUnlike);
  const Control two = control_of({.alike = 2, .twice = 4, .first_unlike = "ac"});
  EXPECT_EQ(with_repeated(two, part_of("ac", {1, 1, ""})), two);
}

TEST(RepeatedRuns, APartThatIsUnlikeItselfFailsTheTable) {
  const EvidenceTable part = part_of("ac", {0, 1, "ac"});
  EXPECT_EQ(with_repeated(control_of({5, 5, ""}), part), part.controls.front());
}

TEST(RepeatedRuns, APartWithoutAJudgementLeavesTheTableItsOwn) {
  EvidenceTable part = part_of("tp=2,ac engine=pytorch", {1, 1, ""});
  part.controls.front().judged = false;
  EXPECT_EQ(with_repeated(kOneUnlike, part), kOneUnlike);
}

}  // namespace
}  // namespace ordercheck
