// A supervisor that is killed half way: what it had finished is not run again, and nothing is lost.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "base/file.h"
#include "engines/fake_engine.h"
#include "matrix/journal.h"

namespace ordercheck {
namespace {

std::vector<CaseRun> eleven_runs() {
  std::vector<CaseRun> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(run_of("tp=2,fsdp=2 seed=" + std::to_string(i + 2)));
  runs.insert(runs.begin() + 5, run_of("tp=2,fsdp=2", "hang"));
  return runs;
}

// With one worker the runs go in their order, so the sixth hangs when five are in the journal.
[[noreturn]] void supervise(const std::filesystem::path& path) {
  auto journal = Journal::open(path);
  auto pool = Pool::start(fake_engine(), {.jobs = 1});
  if (!journal || !pool) _exit(1);
  (void)run_remaining(*pool.value(), *journal.value(), eleven_runs(), [](std::size_t, const Record&) {});
  _exit(2);
}

std::size_t lines_in(const std::filesystem::path& path) {
  const auto text = read_file(path);
  return text ? static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n')) : 0;
}

TEST(resume, after_a_kill_only_the_missing_cases_are_run) {
  const ScratchFolder folder;
  const auto path = folder.path() / "journal";
  const pid_t supervisor = fork();
  ASSERT_GE(supervisor, 0);
  if (supervisor == 0) supervise(path);
  while (lines_in(path) < 5 && waitpid(supervisor, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(supervisor, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(supervisor, &status, 0), supervisor);
  ASSERT_TRUE(WIFSIGNALED(status));

  std::vector<CaseRun> runs = eleven_runs();
  runs[5].fault->kind = "slow";  // this time it ends
  auto journal = Journal::open(path);
  ASSERT_TRUE(journal) << journal.error().message;
  auto pool = Pool::start(fake_engine(), {.jobs = 2}).value();
  std::vector<Record> records(runs.size());
  const auto deliver = [&](std::size_t index, const Record& record) { records[index] = record; };
  const Resumed resumed = run_remaining(*pool, *journal.value(), runs, deliver).value();
  EXPECT_EQ(resumed.from_journal, 5u);
  EXPECT_EQ(resumed.run, 6u);
  EXPECT_TRUE(resumed.complete);
  EXPECT_EQ(lines_in(path), 11u);
  EXPECT_EQ(records, run_all(*pool, runs));
}

}  // namespace
}  // namespace ordercheck
