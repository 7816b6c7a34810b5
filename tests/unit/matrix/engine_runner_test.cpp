#include "matrix/engine_runner.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

// The worker of the command line's tests, which answers as a sound engine would.
class Engine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) / ("engine_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<EngineRunner> start(std::vector<std::string> environment = {}) {
    const EngineSpec spec{
        .name = "native", .command = {ORDERCHECK_BINARY_DIR "/bin/honest_worker"}, .environment = std::move(environment)};
    auto runner = EngineRunner::start(spec, {.jobs = 2});
    EXPECT_TRUE(runner) << (runner ? "" : runner.error().message);
    return runner ? std::move(runner).value() : nullptr;
  }

  fs::path folder_;
};

std::vector<Ending> endings(EngineRunner& runner, const std::vector<std::string>& stacks) {
  std::vector<Run> runs;
  for (const auto& stack : stacks) runs.push_back({.subject = {.stack = *parse_stack(stack)}});
  std::vector<Ending> seen(runs.size(), Ending::garbled);
  EXPECT_TRUE(runner.run(runs, [&](std::size_t index, const Record& record) {
    EXPECT_EQ(record.case_text, stacks[index]);
    seen[index] = record.ending;
  }));
  return seen;
}

TEST_F(Engine, AnswersEveryRun) {
  auto runner = start();
  EXPECT_EQ(runner->hello().engine, "native");
  EXPECT_THAT(endings(*runner, {"tp=2", "fsdp=2", "tp=2"}), testing::Each(Ending::completed));
}

TEST_F(Engine, GoesOnFromItsJournalUnlessFresh) {
  const auto journal = folder_ / "journal.jsonl";
  {
    auto first = start();
    ASSERT_TRUE(first->resume_from(journal, false));
    EXPECT_THAT(endings(*first, {"tp=2"}), testing::ElementsAre(Ending::completed));
    EXPECT_EQ(first->from_journal(), 0u);
  }
  const std::vector<std::string> broken{"HONEST_WORKER_BREAKS=tp=2"};
  {
    auto second = start(broken);
    ASSERT_TRUE(second->resume_from(journal, false));
    EXPECT_THAT(endings(*second, {"tp=2"}), testing::ElementsAre(Ending::completed));
    EXPECT_EQ(second->from_journal(), 1u);
  }
  auto third = start(broken);
  ASSERT_TRUE(third->resume_from(journal, true));
  EXPECT_THAT(endings(*third, {"tp=2"}), testing::ElementsAre(Ending::failed));
}

// The second run of a case is one of its own, now and when it is resumed.
TEST_F(Engine, ASecondRunTakesItsOwnLine) {
  const auto journal = folder_ / "journal.jsonl";
  for (std::size_t resumed : {0u, 2u}) {
    auto runner = start();
    ASSERT_TRUE(runner->resume_from(journal, false));
    endings(*runner, {"tp=2"});
    endings(*runner, {"tp=2"});
    EXPECT_EQ(runner->from_journal(), resumed);
  }
}

TEST_F(Engine, AJournalThatIsNoneSaysHowToBeginANewOne) {
  const auto journal = folder_ / "journal.jsonl";
  std::FILE* file = std::fopen(journal.c_str(), "w");
  std::fputs("nonsense\nmore\n", file);
  std::fclose(file);
  auto runner = start();
  const auto status = runner->resume_from(journal, false);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, testing::HasSubstr("--fresh begins a new one"));
  EXPECT_TRUE(runner->resume_from(journal, true));
}

TEST_F(Engine, TheJournalIsNamedByTheWorkersContent) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  Hello one{.engine = "native", .content_hash = "a"}, two{.engine = "native", .content_hash = "b"};
  const auto path = default_journal(one);
  ASSERT_TRUE(path);
  EXPECT_THAT(path->string(), testing::StartsWith((folder_ / "ordercheck" / "journal" / "native-").string()));
  EXPECT_NE(*path, *default_journal(two));
}

}  // namespace
}  // namespace ordercheck
