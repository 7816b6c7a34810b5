#include "matrix/distinct_runs.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

Case case_of(const char* stack) { return {.stack = *parse_stack(stack)}; }

TEST(Runs, RunsEachDistinctTaskOnce) {
  FakeRunner runner;
  Runs runs(runner);
  runs.ask(case_of("tp=2"));
  runs.ask(case_of("tp=2"));
  const PendingRun again = runs.ask(case_of("tp=2"), Turn::second);
  ASSERT_TRUE(runs.run());
  EXPECT_EQ(runner.seen.size(), 2u);
  runs.ask(case_of("tp=2"));
  ASSERT_TRUE(runs.run());
  EXPECT_EQ(runner.seen.size(), 2u);
  EXPECT_EQ(again.record().case_text, "tp=2");
}

TEST(Runs, OnlyRunsOfTheStackGetTheFault) {
  FakeRunner runner;
  Runs runs(runner);
  runs.inject(*parse_stack("tp=2"), Fault{.kind = "crash"});
  runs.ask(case_of("tp=2"));
  runs.ask(case_of("fsdp=2"));
  Case other_seed = case_of("tp=2");
  other_seed.settings.seed = 2;
  runs.ask(other_seed);
  ASSERT_TRUE(runs.run());
  for (const Request& request : runner.seen) {
    EXPECT_EQ(request.run.fault.has_value(), print(request.run.subject.stack) == "tp=2");
  }
}

TEST(Runs, TensorsGoToAFolderOfTheirOwn) {
  FakeRunner runner;
  const auto folder = std::filesystem::path(testing::TempDir()) / "batch_values";
  runner.corrupt("tp=2", [](Record& record, const Request&) { record.trace = {{.module = "layers.0", .file = "7.f64"}}; });
  Runs runs(runner, folder);
  const PendingRun kept = runs.ask(case_of("tp=2"), Turn::first, Keep::values);
  runs.ask(Case{}, Turn::first, Keep::values);
  ASSERT_TRUE(runs.run());
  ASSERT_EQ(runner.seen.size(), 2u);
  EXPECT_NE(runner.seen[0].run.values_folder, runner.seen[1].run.values_folder);
  EXPECT_TRUE(std::filesystem::is_directory(runner.seen[0].run.values_folder));
  const std::filesystem::path file = kept.record().trace[0].file;
  EXPECT_EQ(file.filename(), "7.f64");
  EXPECT_TRUE(std::filesystem::is_directory(file.parent_path()));
  std::filesystem::remove_all(folder);
}

TEST(Runs, ABrokenEngineIsAnError) {
  FakeRunner runner;
  runner.broken = true;
  Runs runs(runner);
  runs.ask(case_of("tp=2"));
  EXPECT_FALSE(runs.run());
}

}  // namespace
}  // namespace ordercheck
