#include "matrix/journal.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/file.h"
#include "engines/fake_engine.h"
#include "unit/record/samples.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

JournalKey key(const std::string& case_text) {
  JournalKey key;
  key.case_text = case_text;
  key.engine = "fake";
  key.content_hash = "1";
  return key;
}

Record record_of_case(const std::string& case_text) {
  Record record = full_record();
  record.case_text = case_text;
  return record;
}

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> open() {
    auto journal = Journal::open(path_);
    EXPECT_TRUE(journal) << journal.error().message;
    return std::move(journal).value();
  }
  std::string error() {
    const auto journal = Journal::open(path_);
    return journal ? "no error" : journal.error().message;
  }
  void write_three() {
    const auto journal = open();
    for (const char* text : {"tp=2", "fsdp=2", "ac"}) EXPECT_TRUE(journal->append(key(text), record_of_case(text)));
  }
  std::string text() { return read_file(path_).value(); }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "deep" / "journal.jsonl";
};

TEST_F(JournalTest, gives_back_what_was_written) {
  write_three();
  const auto journal = open();
  EXPECT_EQ(journal->lines(), 3u);
  EXPECT_FALSE(journal->dropped_torn_line());
  const Record* record = journal->take(key("fsdp=2"));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*record, record_of_case("fsdp=2"));
}

TEST_F(JournalTest, a_line_answers_one_run) {
  write_three();
  {
    const auto journal = open();
    EXPECT_NE(journal->take(key("tp=2")), nullptr);
    EXPECT_EQ(journal->take(key("tp=2")), nullptr);
    EXPECT_TRUE(journal->append(key("tp=2"), record_of_case("tp=2")));
    EXPECT_EQ(journal->take(key("tp=2")), nullptr) << "what this process has run is not there to be taken again";
  }
  const auto journal = open();
  EXPECT_NE(journal->take(key("tp=2")), nullptr);
  EXPECT_NE(journal->take(key("tp=2")), nullptr);
}

TEST_F(JournalTest, another_build_fault_engine_or_keep_is_another_run) {
  write_three();
  const auto journal = open();
  JournalKey other = key("tp=2");
  other.content_hash = "2";
  EXPECT_EQ(journal->take(other), nullptr);
  other = key("tp=2");
  other.engine = "native";
  EXPECT_EQ(journal->take(other), nullptr);
  other = key("tp=2");
  other.keep = Keep::none;
  EXPECT_EQ(journal->take(other), nullptr);
  other = key("tp=2");
  other.fault = Fault{.kind = "crash", .rank = 0, .module = "", .phase = Phase::forward, .sequence = 0};
  EXPECT_EQ(journal->take(other), nullptr);
  EXPECT_NE(journal->take(key("tp=2")), nullptr);
}

TEST_F(JournalTest, a_torn_last_line_is_dropped_wherever_it_was_cut) {
  write_three();
  const std::string whole = text();
  const std::size_t two = whole.find('\n', whole.find('\n') + 1) + 1;
  for (std::size_t cut = two + 1; cut < whole.size(); cut += 37) {
    std::ofstream(path_, std::ios::trunc) << whole.substr(0, cut);
    auto journal = open();
    EXPECT_TRUE(journal->dropped_torn_line());
    EXPECT_EQ(journal->lines(), 2u);
    EXPECT_EQ(journal->take(key("ac")), nullptr);
    ASSERT_TRUE(journal->append(key("ac"), record_of_case("ac")));
    journal.reset();
    EXPECT_EQ(text(), whole) << "cut at " << cut;
  }
}

TEST_F(JournalTest, a_corrupt_line_is_one_error_naming_the_line) {
  write_three();
  const std::string whole = text();
  const std::size_t second = whole.find('\n') + 1;
  for (const std::size_t offset : {0ul, 1ul, 40ul, 300ul, whole.find('\n', second) - second - 1}) {
    std::string damaged = whole;
    damaged[second + offset] ^= 1;
    std::ofstream(path_, std::ios::trunc) << damaged;
    EXPECT_THAT(error(), AllOf(HasSubstr("journal.jsonl: line 2 "), Not(HasSubstr("\n")))) << "byte " << offset;
  }
}

RC_GTEST_PROP(journal_damage, no_changed_byte_goes_unseen, ()) {
  const ScratchFolder folder;
  const auto path = folder.path() / "journal";
  {
    auto journal = Journal::open(path).value();
    for (const char* text : {"tp=2", "ac"}) RC_ASSERT(bool(journal->append(key(text), record_of_case(text))));
  }
  std::string text = read_file(path).value();
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size() - 1);  // the last newline makes a torn line
  const char other = *rc::gen::arbitrary<char>();
  RC_PRE(text[at] != other);
  text[at] = other;
  std::ofstream(path, std::ios::trunc) << text;
  RC_ASSERT(!Journal::open(path));
}

TEST_F(JournalTest, a_folder_that_cannot_be_written_is_an_error_at_once) {
  path_ = "/proc/nowhere/journal";
  EXPECT_THAT(error(), AllOf(HasSubstr("journal /proc/nowhere/journal"), HasSubstr("cannot create it")));
}

TEST_F(JournalTest, two_processes_do_not_share_a_journal) {
  const auto journal = open();
  EXPECT_THAT(error(), HasSubstr("another ordercheck has it open"));
}

TEST_F(JournalTest, an_append_that_fails_leaves_the_file_as_it_was) {
  write_three();
  const std::string before = text();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A file may then not grow beyond what fits half of the next line.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 100, before.size() + 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto journal = Journal::open(path_);
    if (!journal) _exit(2);
    const Status appended = journal.value()->append(key("pp=2"), record_of_case("pp=2"));
    _exit(!appended && appended.error().message.find("cannot write line 4") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text(), before);
}

TEST_F(JournalTest, runs_only_what_is_missing) {
  std::vector<CaseRun> runs{run_of("tp=2"), run_of("fsdp=2"), run_of("tp=2"), run_of("tp=2", "crash")};
  auto pool = Pool::start(fake_engine(), {.jobs = 2}).value();
  std::vector<Record> first(runs.size()), second(runs.size());
  {
    auto journal = open();
    const auto ignore = [](std::size_t, const Record&) {};
    const Resumed resumed = run_remaining(*pool, *journal, {runs[0], runs[3]}, ignore).value();
    EXPECT_EQ(resumed.from_journal, 0u);
    EXPECT_EQ(resumed.run, 2u);
  }
  {
    auto journal = open();
    const Resumed resumed =
        run_remaining(*pool, *journal, runs, [&](std::size_t i, const Record& record) { first[i] = record; }).value();
    EXPECT_EQ(resumed.from_journal, 2u) << "of the two equal runs one stands in the journal";
    EXPECT_EQ(resumed.run, 2u);
    EXPECT_TRUE(resumed.complete);
  }
  auto journal = open();
  const Resumed resumed =
      run_remaining(*pool, *journal, runs, [&](std::size_t i, const Record& record) { second[i] = record; }).value();
  EXPECT_EQ(resumed.from_journal, 4u);
  EXPECT_EQ(resumed.run, 0u);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[3].ending, Ending::died);
}

TEST_F(JournalTest, a_run_that_was_killed_is_run_again) {
  const std::vector<CaseRun> runs{run_of("tp=2", "kill")};
  auto pool = Pool::start(fake_engine(), {.jobs = 1}).value();
  auto journal = open();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run_remaining(*pool, *journal, runs,
                            [](std::size_t, const Record& record) { EXPECT_EQ(record.ending, Ending::killed); })
                  ->run,
              1u);
}

TEST_F(JournalTest, runs_that_keep_values_are_always_run) {
  CaseRun run = run_of("tp=2");
  run.keep = Keep::values;
  run.values_folder = folder_.path();
  auto pool = Pool::start(fake_engine(), {.jobs = 1}).value();
  auto journal = open();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run_remaining(*pool, *journal, {run}, [](std::size_t, const Record&) {})->run, 1u);
}

}  // namespace
}  // namespace ordercheck
