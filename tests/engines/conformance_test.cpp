// What every engine owes its supervisor: whatever a case does to a worker, it ends in the right record, and the next
// case is right. Run for the fake always, for the native engine where this build has its worker, for the pytorch engine
// where that is so and ORDERCHECK_PYTHON names an interpreter.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <gmock/gmock.h>

#include "engines/fake_engine.h"
#include "matrix/pytorch_engine.h"
#include "record/flight.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const std::filesystem::path kNativeWorker = ORDERCHECK_BINARY_DIR "/bin/ordercheck-ranks";

Result<EngineSpec> native() {
  return EngineSpec{.name = "native", .command = {kNativeWorker.string()}, .environment = {"OMP_NUM_THREADS=1"}};
}

// A process a rank, as --world gloo starts it.
Result<EngineSpec> native_processes() {
  auto spec = native();
  spec->environment.push_back("ORDERCHECK_WORLD=gloo");
  return spec;
}

// Tensors where no host code may touch them.
Result<EngineSpec> native_on_fake_device() {
  auto spec = native();
  spec->command = {ORDERCHECK_BINARY_DIR "/bin/fake-device-ranks"};
  return spec;
}

struct Engine {
  std::string name;
  std::function<Result<EngineSpec>()> spec;
  std::string missing;                 // why it cannot be run here; "" when it can
  std::chrono::milliseconds patience;  // long enough for any case that does not hang
  std::string hello = name;            // what it says that it is
};

void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

// An interpreter that is named and does not do is no reason to skip: it fails.
std::string why_no_pytorch() {
  if (!std::filesystem::exists(kNativeWorker))
    return "the pytorch engine is tried with the build that has the native engine (preset cpu), once is enough";
  const char* python = std::getenv("ORDERCHECK_PYTHON");
  if (python == nullptr || *python == 0) return "ORDERCHECK_PYTHON names no Python with torch; scripts/test sets it";
  return "";
}

std::vector<Engine> engines() {
  std::string missing;
  if (!std::filesystem::exists(kNativeWorker)) missing = "this build has no native engine: expected " + kNativeWorker.string();
  return {{"fake", [] { return Result<EngineSpec>(fake_engine()); }, "", std::chrono::seconds(2)},
          {"native", native, missing, std::chrono::seconds(8)},
          {"native_processes", native_processes, missing, std::chrono::seconds(20), "native"},
          {"native_on_fake_device", native_on_fake_device, missing, std::chrono::seconds(8), "native"},
          {"pytorch", [] { return engine_spec(built_in("pytorch")); }, why_no_pytorch(), std::chrono::seconds(30)}};
}

constexpr const char* kCase = "tp=2,fsdp=2";
constexpr const char* kModule = "layers.0.attention";
constexpr int kRank = 1;

class Conformance : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
    auto spec = GetParam().spec();
    ASSERT_TRUE(spec) << spec.error().message;
    spec_ = std::move(spec).value();
    PoolOptions options;
    options.limits.run = GetParam().patience;
    auto pool = Pool::start(spec_, options);
    ASSERT_TRUE(pool) << pool.error().message;
    pool_ = std::move(pool).value();
  }

  CaseRun subject(const std::string& fault = "") const {
    CaseRun run = run_of(kCase, fault, kRank, kModule);
    run.subject.engine = GetParam().hello;
    return run;
  }

  // The faulty case between two good ones: what it gave, once both neighbours were seen to be right.
  Record between_good_ones(const std::string& fault) { return between_good_ones(subject(fault)); }

  Record between_good_ones(const CaseRun& faulty) {
    EXPECT_THAT(pool_->hello().faults, testing::Contains(faulty.fault->kind));
    const auto records = run_all(*pool_, {subject(), faulty, subject()});
    EXPECT_EQ(records[0].ending, Ending::completed) << failure_of(records[0]);
    EXPECT_EQ(records[2].ending, Ending::completed) << failure_of(records[2]);
    EXPECT_EQ(digest(records[0]), digest(records[2])) << "the case after the fault gave other numbers";
    return records[1];
  }

  static std::string failure_of(const Record& record) { return record.failure ? record.failure->message : ""; }

  static void expect_place(const Record& record) {
    ASSERT_TRUE(record.failure.has_value());
    EXPECT_EQ(record.failure->rank, kRank) << failure_of(record);
    EXPECT_EQ(record.failure->module, kModule) << failure_of(record);
    EXPECT_EQ(record.failure->phase, Phase::forward) << failure_of(record);
  }

  EngineSpec spec_;
  std::unique_ptr<Pool> pool_;
};

TEST_P(Conformance, a_case_gives_the_same_bits_again_and_in_another_worker) {
  const auto records = run_all(*pool_, {subject(), subject()});
  ASSERT_EQ(records[0].ending, Ending::completed) << failure_of(records[0]);
  EXPECT_EQ(records[0].case_text, print(subject().subject));
  EXPECT_EQ(records[0].engine, GetParam().hello);
  EXPECT_EQ(records[0].world_size, 4);
  EXPECT_EQ(records[0].steps.size(), 3u);
  EXPECT_EQ(digest(records[0]), digest(records[1]));
  const auto other = Pool::start(spec_, {.jobs = 1});
  ASSERT_TRUE(other);
  EXPECT_EQ(digest(run_all(**other, {subject()})[0]), digest(records[0]));
}

TEST_P(Conformance, a_crash) {
  const Record record = between_good_ones("crash");
  EXPECT_EQ(record.ending, Ending::died) << failure_of(record);
  EXPECT_THAT(failure_of(record), HasSubstr("was killed by signal"));
  expect_place(record);
}

TEST_P(Conformance, an_exit) {
  const Record record = between_good_ones("exit");
  EXPECT_EQ(record.ending, Ending::died) << failure_of(record);
  EXPECT_THAT(failure_of(record), HasSubstr("exited with code"));
  expect_place(record);
}

TEST_P(Conformance, a_hang) {
  const Record record = between_good_ones("hang");
  EXPECT_EQ(record.ending, Ending::timed_out) << failure_of(record);
  expect_place(record);
  EXPECT_EQ(record.failure->ranks.size(), 4u);
}

TEST_P(Conformance, nonsense) {
  const Record record = between_good_ones("nonsense");
  EXPECT_EQ(record.ending, Ending::garbled) << failure_of(record);
  EXPECT_THAT(failure_of(record), HasSubstr("not the protocol"));
  // A worker may say it before any rank runs; no rank is named then.
  if (!record.failure->ranks.empty()) expect_place(record);
}

TEST_P(Conformance, slow_is_not_wrong) {
  const Record record = between_good_ones("slow");
  EXPECT_EQ(record.ending, Ending::completed) << failure_of(record);
  EXPECT_EQ(digest(record), digest(run_all(*pool_, {subject()})[0]));
}

TEST_P(Conformance, a_throw_is_the_engines_to_report) {
  const Record record = between_good_ones("throw");
  EXPECT_EQ(record.ending, Ending::failed) << failure_of(record);
  expect_place(record);
  const ScratchFolder folder;
  auto worker = Worker::start(spec_, {.limits = {.run = GetParam().patience}, .scratch = folder.path(), .stop = nullptr});
  ASSERT_TRUE(worker) << worker.error().message;
  ASSERT_TRUE((*worker)->run(subject("throw")).has_value());
  EXPECT_TRUE((*worker)->ready());
}

// As an out-of-memory killer does it: no warning, no last words. It comes when one rank hangs and all others wait, so
// that which rank was busy is beyond doubt. A rank that waits for one that goes on rests as well, but not for long.
TEST_P(Conformance, a_kill_from_outside) {
  const ScratchFolder folder;
  WorkerOptions options{.limits = {}, .scratch = folder.path(), .stop = nullptr};
  auto worker = Worker::start(spec_, options);
  ASSERT_TRUE(worker) << worker.error().message;
  CaseRun run = subject("hang");
  run.flight_file = folder.path() / "flight-here";
  const pid_t pid = worker.value()->pid();
  std::jthread killer([&](const std::stop_token& stop) {
    std::uint64_t last_ticket = 0;
    for (int unchanged = 0; !stop.stop_requested();) {
      const auto slots = read_flight(run.flight_file);
      const auto rests = [&](const FlightSlot& slot) { return slot.finished || !slot.operation.empty(); };
      const bool at_rest = slots && slots->size() == 4 && (*slots)[kRank].module == kModule &&
                           std::count_if(slots->begin(), slots->end(), rests) == 3;
      const std::uint64_t ticket = at_rest ? std::ranges::max(*slots, {}, &FlightSlot::ticket).ticket : 0;
      unchanged = at_rest && ticket == last_ticket ? unchanged + 1 : 0;
      last_ticket = ticket;
      if (unchanged == 300) {
        kill(pid, SIGKILL);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const std::optional<Record> record = worker.value()->run(run);
  killer.request_stop();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->ending, Ending::killed) << failure_of(*record);
  EXPECT_THAT(failure_of(*record), HasSubstr("signal 9"));
  expect_place(*record);
}

TEST_P(Conformance, a_worker_ends_when_its_stdin_does) {
  const ScratchFolder folder;
  auto child = ChildProcess::start(spec_.command, spec_.environment);
  ASSERT_TRUE(child) << child.error().message;
  child.value()->close_input();
  // Its hello fits the pipe, so nothing has to be read. Waited for, however long a loaded machine takes.
  for (int i = 0; i < 60000 && !child.value()->ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(child.value()->ended());
  EXPECT_EQ(describe(child.value()->kill_and_reap()), "exited with code 0");
}

INSTANTIATE_TEST_SUITE_P(engines, Conformance, testing::ValuesIn(engines()),
                         [](const auto& engine) { return engine.param.name; });

// Faults that need collectives whose ranks can disagree, in a world that looks at that. What becomes of them in gloo is
// gloo's: it ends a process, or takes what it is given; tests/pytorch/worker_test.py has those.
class RankConformance : public Conformance {
 protected:
  // Two collectives of the first forward pass, inside modules.
  void expect_seen(const std::string& kind) {
    for (const std::int64_t sequence : {3, 7}) {
      CaseRun faulty = subject(kind);
      faulty.fault->module = "";
      faulty.fault->sequence = sequence;
      const Record record = between_good_ones(faulty);
      EXPECT_THAT(record.ending, testing::AnyOf(Ending::deadlocked, Ending::failed)) << failure_of(record);
      ASSERT_TRUE(record.failure.has_value()) << "at collective " << sequence;
      EXPECT_GE(record.failure->rank, 0) << failure_of(record);
      EXPECT_NE(record.failure->module, "") << failure_of(record);
      EXPECT_NE(record.failure->operation, "") << failure_of(record);
      EXPECT_EQ(record.failure->ranks.size(), 4u);
    }
  }
};

TEST_P(RankConformance, a_skipped_collective_is_seen_by_the_world) { expect_seen("skip_collective"); }

TEST_P(RankConformance, a_wrong_shape_is_seen_by_the_world) { expect_seen("wrong_shape"); }

INSTANTIATE_TEST_SUITE_P(engines, RankConformance, testing::Values(engines()[1]),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace ordercheck
