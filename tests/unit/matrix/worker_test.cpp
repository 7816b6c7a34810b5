#include "matrix/worker.h"

#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "engines/fake_engine.h"
#include "record/flight.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class WorkerTest : public testing::Test {
 protected:
  WorkerOptions options() {
    WorkerOptions options{.limits = {}, .scratch = folder_.path(), .stop = nullptr};
    options.limits.line_bytes = 1u << 20;
    return options;
  }

  std::unique_ptr<Worker> start(const WorkerOptions& options) {
    auto worker = Worker::start(fake_engine(), options);
    EXPECT_TRUE(worker) << worker.error().message;
    return std::move(worker).value();
  }

  std::string start_error(const EngineSpec& spec, int hello_milliseconds = 60000) {
    WorkerOptions with_limit = options();
    with_limit.limits.hello = std::chrono::milliseconds(hello_milliseconds);
    const auto worker = Worker::start(spec, with_limit);
    if (worker) return "no error";
    EXPECT_THAT(worker.error().message, Not(HasSubstr("\n")));
    return worker.error().message;
  }

  // One faulty run in a worker of its own.
  Record run_fault(const std::string& kind, int milliseconds = 60000) {
    WorkerOptions with_limit = options();
    with_limit.limits.run = std::chrono::milliseconds(milliseconds);
    auto worker = start(with_limit);
    const pid_t pid = worker->pid();
    const std::optional<Record> record = worker->run(run_of("tp=2,fsdp=2", kind));
    EXPECT_FALSE(worker->ready());
    EXPECT_EQ(kill(pid, 0), -1) << "the child is still there, or was not reaped";
    EXPECT_TRUE(record.has_value());
    return record.value_or(Record{});
  }

  ScratchFolder folder_;
};

TEST_F(WorkerTest, says_hello_and_answers_case_after_case) {
  auto worker = start(options());
  EXPECT_EQ(worker->hello().engine, "fake");
  const pid_t pid = worker->pid();
  for (const char* text : {"tp=2", "fsdp=2", "tp=2"}) {
    const Record record = worker->run(run_of(text)).value();
    EXPECT_EQ(record.ending, Ending::completed);
    EXPECT_EQ(record.case_text, text);
    EXPECT_TRUE(worker->ready());
  }
  EXPECT_EQ(worker->pid(), pid);
  worker.reset();
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST_F(WorkerTest, the_same_case_gives_the_same_record_in_another_process) {
  EXPECT_EQ(start(options())->run(run_of("tp=2")).value(), start(options())->run(run_of("tp=2")).value());
}

TEST_F(WorkerTest, a_worker_that_ignores_the_end_of_its_stdin_is_killed) {
  WorkerOptions hasty = options();
  hasty.limits.farewell = std::chrono::milliseconds(50);
  auto worker = Worker::start(fake_engine({"--linger"}), hasty).value();
  const pid_t pid = worker->pid();
  worker.reset();
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST_F(WorkerTest, a_hello_that_is_late_decides_nothing_and_a_worker_that_ended_is_wrong) {
  WorkerOptions brief = options();
  brief.limits.hello = std::chrono::milliseconds(200);
  const auto late = Worker::start(fake_engine({"--at-start=silent"}), brief);
  ASSERT_FALSE(late);
  EXPECT_TRUE(is_too_slow(late.error()));
  const auto ended = Worker::start(fake_engine({"--at-start=exit"}), options());
  ASSERT_FALSE(ended);
  EXPECT_FALSE(is_too_slow(ended.error()));
}

TEST_F(WorkerTest, says_why_there_is_no_hello) {
  EXPECT_THAT(start_error({.name = "fake", .command = {"/nowhere/worker"}, .environment = {}}),
              HasSubstr("engine fake: cannot start '/nowhere/worker': No such file or directory"));
  EXPECT_THAT(
      start_error(fake_engine({"--at-start=crash"})),
      AllOf(HasSubstr("killed by signal 11"), HasSubstr("before its hello"), HasSubstr("stderr ends: cannot load anything")));
  EXPECT_THAT(start_error(fake_engine({"--at-start=exit"})), HasSubstr("exited with code 7 before its hello"));
  EXPECT_THAT(start_error(fake_engine({"--at-start=silent"}), 200), HasSubstr("no hello within 0.2 s"));
  EXPECT_THAT(start_error(fake_engine({"--at-start=nonsense"})), HasSubstr("'Welcome to fake!'"));
  EXPECT_THAT(start_error(fake_engine({"--at-start=other_version"})), HasSubstr("at protocol"));
  EXPECT_THAT(start_error(fake_engine({"--at-start=other_engine"})), HasSubstr("expected 'fake', got 'real'"));
}

TEST_F(WorkerTest, the_child_inherits_no_blocked_and_no_ignored_signal) {
  sigset_t usr1, before;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  auto worker = Worker::start(fake_engine({"--at-start=signals"}), options());
  std::signal(SIGPIPE, pipe_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(worker) << worker.error().message;
  EXPECT_THAT(worker.value()->hello().versions, ElementsAre("blocked no", "ignored no"));
}

TEST_F(WorkerTest, a_crash_names_the_signal_the_rank_and_the_module) {
  for (const auto& [kind, signal] : {std::pair{"crash", "signal 11"}, {"abort", "signal 6"}, {"kill", "signal 9"}}) {
    const Record record = run_fault(kind);
    EXPECT_EQ(record.ending, kind == std::string("kill") ? Ending::killed : Ending::died) << kind;
    EXPECT_EQ(record.failure->rank, 1) << kind;
    EXPECT_EQ(record.failure->module, "layers.0.attention") << kind;
    EXPECT_EQ(record.failure->phase, Phase::forward) << kind;
    EXPECT_THAT(record.failure->message, HasSubstr(signal));
    EXPECT_EQ(record.failure->ranks.size(), 4u) << kind;
    EXPECT_EQ(record.world_size, 4);
    EXPECT_EQ(record.engine, "fake");
    EXPECT_EQ(record.case_text, "tp=2,fsdp=2");
  }
}

TEST_F(WorkerTest, an_exit_names_the_code_and_the_last_words) {
  const Record record = run_fault("exit");
  EXPECT_EQ(record.ending, Ending::died);
  EXPECT_EQ(record.failure->rank, 1);
  EXPECT_EQ(record.failure->module, "layers.0.attention");
  EXPECT_EQ(record.failure->message, "the worker exited with code 3; stderr ends: giving up");
  EXPECT_THAT(record.failure->ranks, Contains(HasSubstr("called exit")));
}

TEST_F(WorkerTest, a_hang_names_the_rank_that_waits_for_nobody) {
  const Record record = run_fault("hang", 2000);
  EXPECT_EQ(record.ending, Ending::timed_out);
  EXPECT_EQ(record.failure->rank, 1);
  EXPECT_EQ(record.failure->module, "layers.0.attention");
  EXPECT_EQ(record.failure->operation, "");
  EXPECT_THAT(record.failure->message, AllOf(HasSubstr("within 2 s"), HasSubstr("rank 1 is in no collective")));
  EXPECT_THAT(record.failure->ranks[0], HasSubstr("in all_gather #1 on tp"));
}

TEST_F(WorkerTest, where_every_rank_waits_the_collective_is_named_and_no_rank) {
  const Record record = run_fault("all_wait", 2000);
  EXPECT_EQ(record.ending, Ending::timed_out);
  EXPECT_EQ(record.failure->rank, -1);
  EXPECT_EQ(record.failure->operation, "all_gather");
  EXPECT_EQ(record.failure->group, "tp");
  EXPECT_EQ(record.failure->sequence, 1);
  EXPECT_EQ(record.failure->module, "layers.0.attention");
}

TEST_F(WorkerTest, what_is_not_the_protocol_is_garbled) {
  for (const auto& [kind, words] : {std::pair{"nonsense", "'loss: 0.25'"},
                                    {"huge_line", "at most 1048576 bytes"},
                                    {"wrong_id", "of run 1"},
                                    {"other_case", "expected the record of 'tp=2,fsdp=2'"},
                                    {"second_hello", "hello"},
                                    {"truncated_line", "exited with code 0 in the middle of a line, after 100 bytes"}}) {
    const Record record = run_fault(kind);
    EXPECT_EQ(record.ending, Ending::garbled) << kind;
    EXPECT_THAT(record.failure->message, HasSubstr(words)) << kind;
    EXPECT_EQ(record.failure->rank, 1) << kind;
    EXPECT_EQ(record.failure->module, "layers.0.attention") << kind;
  }
}

TEST_F(WorkerTest, a_worker_that_only_reports_progress_runs_out_of_time) {
  EXPECT_EQ(run_fault("chatter", 300).ending, Ending::timed_out);
}

TEST_F(WorkerTest, a_failure_that_the_engine_reports_is_passed_on_and_the_worker_stays) {
  auto worker = start(options());
  const Record record = worker->run(run_of("tp=2,fsdp=2", "throw")).value();
  EXPECT_EQ(record.ending, Ending::failed);
  EXPECT_EQ(record.failure->message, "thrown on request");
  EXPECT_TRUE(worker->ready());
}

TEST_F(WorkerTest, slow_is_not_wrong) {
  EXPECT_EQ(start(options())->run(run_of("tp=2,fsdp=2", "slow")).value(), start(options())->run(run_of("tp=2,fsdp=2")).value());
}

TEST_F(WorkerTest, keeps_the_beginning_and_the_end_of_a_flood_on_stderr) {
  WorkerOptions bounded = options();
  bounded.limits.stderr_bytes = 4096;
  auto worker = start(bounded);
  const Record record = worker->run(run_of("tp=2", "flood_stderr")).value();
  EXPECT_EQ(record.ending, Ending::died);
  EXPECT_THAT(record.failure->message, HasSubstr("last words"));
  EXPECT_THAT(worker->errors().text(),
              AllOf(HasSubstr("first words\n"), HasSubstr("bytes left out]"), HasSubstr("last words\n")));
  EXPECT_LT(worker->errors().text().size(), 4096u + 100);
}

// The grandchild holds the pipes open, so there is no end of file; and it must not outlive the case.
TEST_F(WorkerTest, a_child_that_leaves_a_process_behind_is_seen_to_have_died) {
  EXPECT_EQ(run_fault("leave_child").ending, Ending::died);
}

TEST_F(WorkerTest, more_words_than_one_answer_make_a_worker_unready) {
  auto worker = start(options());
  EXPECT_EQ(worker->run(run_of("tp=2", "answer_twice")).value().ending, Ending::completed);
  while (worker->ready()) std::this_thread::yield();
  EXPECT_FALSE(worker->ready());
}

TEST_F(WorkerTest, a_worker_that_was_killed_while_idle_is_not_ready) {
  auto worker = start(options());
  kill(worker->pid(), SIGKILL);
  while (worker->ready()) std::this_thread::yield();
  EXPECT_FALSE(worker->ready());
}

TEST_F(WorkerTest, a_stop_from_outside_ends_a_run_without_a_record) {
  std::atomic<bool> stop{false};
  WorkerOptions stoppable = options();
  stoppable.stop = &stop;
  auto worker = start(stoppable);
  std::jthread stopper([&] { stop = true; });
  EXPECT_FALSE(worker->run(run_of("tp=2", "hang")).has_value());
  EXPECT_FALSE(worker->ready());
}

// A supervisor that is killed without warning: forked here, it starts a worker, tells its id, and waits to be killed.
TEST_F(WorkerTest, no_worker_outlives_a_supervisor_that_is_killed) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t supervisor = fork();
  ASSERT_GE(supervisor, 0);
  if (supervisor == 0) {
    auto worker = Worker::start(fake_engine({"--linger"}), options());
    if (!worker) _exit(1);
    const pid_t pid = worker.value()->pid();
    if (write(told[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    (void)worker.value()->run(run_of("tp=2", "hang"));
    _exit(1);
  }
  close(told[1]);
  pid_t worker = 0;
  ASSERT_EQ(read(told[0], &worker, sizeof(worker)), static_cast<ssize_t>(sizeof(worker)));
  close(told[0]);
  ASSERT_EQ(kill(worker, 0), 0);
  kill(supervisor, SIGKILL);
  ASSERT_EQ(waitpid(supervisor, nullptr, 0), supervisor);
  // Gone or a zombie that the system will reap: not running. Waited for, since the kernel kills at its own pace.
  const auto runs = [&] {
    std::ifstream status("/proc/" + std::to_string(worker) + "/stat");
    std::string line;
    std::getline(status, line);
    return !line.empty() && line.find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 10000 && runs(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(runs());
}

TEST(line_buffer, gives_a_line_when_its_end_is_there) {
  LineBuffer buffer;
  std::string line;
  buffer.append("one\ntw");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(buffer.take(line));
  EXPECT_EQ(buffer.size(), 2u);
  buffer.append("o\n\n");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "two");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "");
  EXPECT_EQ(buffer.size(), 0u);
}

RC_GTEST_PROP(line_buffer, loses_and_invents_nothing, ()) {
  const auto piece = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  LineBuffer buffer;
  std::string whole, taken, line;
  for (const std::string& each : pieces) {
    whole += each;
    buffer.append(each);
    while (*rc::gen::arbitrary<bool>() && buffer.take(line)) taken += line + "\n";
  }
  while (buffer.take(line)) taken += line + "\n";
  RC_ASSERT(taken == whole.substr(0, whole.rfind('\n') + 1));
  RC_ASSERT(buffer.size() == whole.size() - taken.size());
}

}  // namespace
}  // namespace ordercheck
