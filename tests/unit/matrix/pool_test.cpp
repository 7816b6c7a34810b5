#include "matrix/pool.h"

#include <csignal>
#include <fstream>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/fake_engine.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

std::unique_ptr<Pool> start(const PoolOptions& options, const EngineSpec& spec = fake_engine()) {
  auto pool = Pool::start(spec, options);
  EXPECT_TRUE(pool) << pool.error().message;
  return std::move(pool).value();
}

std::vector<CaseRun> many(int count) {
  std::vector<CaseRun> runs;
  for (int i = 0; i < count; ++i) runs.push_back(run_of(i % 2 ? "tp=2" : "fsdp=2,ac seed=" + std::to_string(i + 2)));
  return runs;
}

TEST(pool, every_run_gets_its_own_record_once) {
  const auto pool = start({.jobs = 3});
  const auto runs = many(40);
  std::map<std::size_t, int> times;
  EXPECT_TRUE(pool->run(runs, [&](std::size_t index, const Record& record) {
    ++times[index];
    EXPECT_EQ(record.case_text, print(runs[index].subject));
    EXPECT_EQ(record.ending, Ending::completed);
  }));
  EXPECT_EQ(times.size(), 40u);
  for (const auto& [index, count] : times) EXPECT_EQ(count, 1) << index;
}

TEST(pool, nothing_to_run_is_done_at_once_and_a_pool_may_run_again) {
  const auto pool = start({.jobs = 2});
  EXPECT_TRUE(run_all(*pool, {}).empty());
  EXPECT_EQ(run_all(*pool, many(3)), run_all(*pool, many(3)));
}

TEST(pool, a_worker_that_breaks_costs_only_its_case) {
  PoolOptions options{.jobs = 2};
  options.limits.run = std::chrono::seconds(3);
  options.limits.line_bytes = 1 << 20;
  const auto pool = start(options);
  const std::vector<std::string> kinds{"crash",
                                       "nonsense",
                                       "exit",
                                       "kill",
                                       "truncated_line",
                                       "hang",
                                       "leave_child",
                                       "answer_twice",
                                       "answer_again_later",
                                       "die_after_answer",
                                       "huge_line",
                                       "abort",
                                       "wrong_id"};
  std::vector<CaseRun> runs;
  for (const std::string& kind : kinds) {
    runs.push_back(run_of("tp=2,fsdp=2", kind));
    runs.push_back(run_of("tp=2"));
    runs.push_back(run_of("fsdp=2"));
  }
  const auto records = run_all(*pool, runs);
  const auto right = run_all(*start({.jobs = 1}), {run_of("tp=2"), run_of("fsdp=2")});
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool answers = kinds[i].find("answer") != std::string::npos;
    EXPECT_EQ(records[3 * i].ending == Ending::completed, answers) << kinds[i];
    EXPECT_EQ(records[3 * i + 1], right[0]) << "after " << kinds[i];
    EXPECT_EQ(records[3 * i + 2], right[1]) << "after " << kinds[i];
  }
}

TEST(pool, an_engine_that_cannot_start_is_an_error_before_anything_runs) {
  const auto pool = Pool::start(fake_engine({"--at-start=exit"}), {.jobs = 2});
  ASSERT_FALSE(pool);
  EXPECT_THAT(pool.error().message, HasSubstr("exited with code 7 before its hello"));
}

// A program that is rebuilt while a pool uses it: records of two builds must not pass for one's.
TEST(pool, a_worker_that_was_changed_in_between_is_refused) {
  const ScratchFolder folder;
  const auto script = folder.path() / "worker";
  const auto write_script = [&](const std::string& hash) {
    std::ofstream(script) << "#!/bin/sh\nexec " ORDERCHECK_BINARY_DIR "/bin/fake_worker --hash=" << hash << "\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  };
  write_script("old");
  const auto pool = start({.jobs = 1}, {.name = "fake", .command = {script}, .environment = {}});
  EXPECT_EQ(pool->hello().content_hash, "old");
  write_script("new");
  const auto records = run_all(*pool, {run_of("tp=2"), run_of("tp=2", "crash"), run_of("tp=2")});
  EXPECT_EQ(records[0].ending, Ending::completed);
  EXPECT_EQ(records[1].ending, Ending::died);
  EXPECT_EQ(records[2].ending, Ending::unstarted);
  EXPECT_THAT(records[2].failure->message, HasSubstr("expected content hash old, got new"));
}

TEST(pool, a_stop_ends_what_runs_and_says_so) {
  std::atomic<bool> stop{false};
  const auto pool = start({.jobs = 2, .limits = {}, .stop = &stop});
  std::vector<CaseRun> runs = many(4);
  runs.push_back(run_of("tp=2", "hang"));
  runs.push_back(run_of("tp=2", "hang"));
  runs.push_back(run_of("tp=2"));
  std::size_t delivered = 0;
  EXPECT_FALSE(pool->run(runs, [&](std::size_t, const Record&) {
    if (++delivered == 4) stop = true;
  }));
  EXPECT_EQ(delivered, 4u);
}

TEST(pool, an_exception_out_of_the_delivery_comes_through_and_leaves_the_pool_usable) {
  const auto pool = start({.jobs = 2});
  EXPECT_THROW(pool->run(many(20), [](std::size_t, const Record&) { throw std::runtime_error("enough"); }), std::runtime_error);
  EXPECT_EQ(run_all(*pool, many(3)).size(), 3u);
}

TEST(interrupt, the_first_signal_sets_the_flag_and_ends_nothing) {
  InterruptFlag flag;
  EXPECT_FALSE(*flag.get());
  raise(SIGINT);
  EXPECT_TRUE(*flag.get());
}

TEST(interrupt, a_new_flag_starts_clear_and_the_old_handlers_come_back) {
  static volatile std::sig_atomic_t caught = 0;
  caught = 0;
  const auto before = std::signal(SIGTERM, [](int) { caught = 1; });
  {
    InterruptFlag flag;
    EXPECT_FALSE(*flag.get());
    raise(SIGTERM);
    EXPECT_TRUE(*flag.get());
    EXPECT_EQ(caught, 0);
  }
  raise(SIGTERM);
  EXPECT_EQ(caught, 1);
  std::signal(SIGTERM, before);
}

TEST(interruptDeathTest, the_second_signal_ends_the_process) {
  EXPECT_EXIT(
      {
        InterruptFlag flag;
        raise(SIGINT);
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace ordercheck
