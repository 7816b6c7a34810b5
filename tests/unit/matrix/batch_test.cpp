#include "matrix/batch.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

Case case_of(const char* stack) { return {.stack = *parse_stack(stack)}; }

TEST(Batch, RunsEachDistinctTaskOnce) {
  FakeRunner runner;
  Batch batch(runner);
  batch.want(case_of("tp=2"));
  batch.want(case_of("tp=2"));
  batch.want(case_of("tp=2"), 1);
  ASSERT_TRUE(batch.run());
  EXPECT_EQ(runner.seen.size(), 2u);
  batch.want(case_of("tp=2"));
  ASSERT_TRUE(batch.run());
  EXPECT_EQ(runner.seen.size(), 2u);
  EXPECT_EQ(batch.record(case_of("tp=2"), 1).case_text, "tp=2");
}

TEST(Batch, OnlyTheCorrupttCaseGetsTheMutant) {
  FakeRunner runner;
  Batch batch(runner);
  batch.mutate(*parse_stack("tp=2"), "m1", Fault{.kind = "crash"});
  batch.want(case_of("tp=2"));
  batch.want(case_of("fsdp=2"));
  Case other_seed = case_of("tp=2");
  other_seed.settings.seed = 2;
  batch.want(other_seed);
  ASSERT_TRUE(batch.run());
  for (const Request& request : runner.seen) {
    const bool mutated = print(request.run.subject.stack) == "tp=2";
    EXPECT_EQ(request.run.mutant, mutated ? "m1" : "");
    EXPECT_EQ(request.run.fault.has_value(), mutated);
  }
}

TEST(Batch, TensorsGoToAFolderOfTheirOwn) {
  FakeRunner runner;
  const auto folder = std::filesystem::path(testing::TempDir()) / "batch_values";
  runner.corrupt("tp=2", [](Record& record, const Request&) { record.trace = {{.module = "layers.0", .file = "7.f64"}}; });
  Batch batch(runner, folder);
  batch.want(case_of("tp=2"), 0, Keep::values);
  batch.want(Case{}, 0, Keep::values);
  ASSERT_TRUE(batch.run());
  ASSERT_EQ(runner.seen.size(), 2u);
  EXPECT_NE(runner.seen[0].run.values_folder, runner.seen[1].run.values_folder);
  EXPECT_TRUE(std::filesystem::is_directory(runner.seen[0].run.values_folder));
  const std::filesystem::path file = batch.record(case_of("tp=2"), 0, Keep::values).trace[0].file;
  EXPECT_EQ(file.filename(), "7.f64");
  EXPECT_TRUE(std::filesystem::is_directory(file.parent_path()));
  std::filesystem::remove_all(folder);
}

TEST(Batch, ABrokenEngineIsAnError) {
  FakeRunner runner;
  runner.broken = true;
  Batch batch(runner);
  batch.want(case_of("tp=2"));
  EXPECT_FALSE(batch.run());
}

}  // namespace
}  // namespace ordercheck
