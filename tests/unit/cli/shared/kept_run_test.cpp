#include "cli/shared/kept_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace ordercheck::cli {
namespace {

Outcome confirmed_equal() {
  Outcome outcome;
  outcome.seen.verdict = Verdict::equal;
  outcome.agreement = Agreement::confirmed;
  return outcome;
}

Imported with_ulysses() {
  return {.format = "verl", .not_understood = {{.text = "sp_size: 2", .where = {"ppo.yaml", 4}, .why = "no transform"}}};
}

TEST(FileRun, IsOpenAndUndecidedWhereSomethingOfTheFileWasLeftOut) {
  Outcome outcome = confirmed_equal();
  leave_open(outcome, with_ulysses());
  EXPECT_EQ(outcome.agreement, Agreement::open);
  EXPECT_EQ(outcome.open_because, "the file also states sp_size: 2, which was left out");
  EXPECT_EQ(exit_code_of(outcome, with_ulysses()), kUndecided);
  outcome.seen.verdict = Verdict::differs;
  EXPECT_EQ(exit_code_of(outcome, with_ulysses()), kDecidedAgainst);
}

TEST(FileRun, StaysConfirmedWhereNothingWasLeftOut) {
  const Imported whole{.format = "verl"};
  Outcome outcome = confirmed_equal();
  leave_open(outcome, whole);
  EXPECT_EQ(outcome.agreement, Agreement::confirmed);
  EXPECT_EQ(exit_code_of(outcome, whole), kNothingAgainst);
}

TEST(FileRun, SaysWhoseCodeRan) {
  const std::vector<EngineFile> engines{{.name = "own", .project = "accelerate"}, {.name = "reference", .by_definition = true}};
  const Imported accelerate{.format = "accelerate"};
  EXPECT_EQ(render_who_ran("a.yaml", accelerate, {.engine = "reference", .versions = {"libtorch 2.11.0"}}, engines),
            "a.yaml: run by the reference engine (libtorch 2.11.0), ordercheck's reference implementation, not by accelerate's "
            "own code\n");
  EXPECT_EQ(render_who_ran("a.yaml", accelerate, {.engine = "own", .versions = {"accelerate 1.15.0"}}, engines),
            "a.yaml: run by the own engine (accelerate 1.15.0), by accelerate's own code\n");
  EXPECT_EQ(render_who_ran("v.yaml", {.format = "verl"}, {.engine = "own", .versions = {"accelerate 1.15.0"}}, engines),
            "v.yaml: run by the own engine (accelerate 1.15.0), not by verl's own code\n");
}

}  // namespace
}  // namespace ordercheck::cli
