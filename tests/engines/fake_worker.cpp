// A worker for tests: it builds nothing, answers every case with a small made-up record, and misbehaves on request.
//
// Faults in a Run act on the fault's rank when it enters the fault's module, while the other ranks wait for it in an
// all_gather. What the process does at its start is chosen by arguments: --at-start=<behaviour>, --hash=<content hash>.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "record/flight.h"
#include "record/messages.h"
#include "stack/mesh.h"

namespace ordercheck {
namespace {

using std::chrono::milliseconds;

// Nothing here has a destructor that exit() would run while other ranks still read it.
constexpr std::array kModules{"tok_embeddings",     "layers.0.attention",    "layers.0.feed_forward",
                              "layers.1.attention", "layers.1.feed_forward", "output"};

const char* content_hash = "fake-1";

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(milliseconds(1000));
}

void say(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote < 0) _exit(0);  // the supervisor is gone
    done += static_cast<std::size_t>(wrote);
  }
}

// Numbers that depend on the case and the rank, so that an answer to another case is seen.
Record made_up(const Run& run) {
  Record record;
  record.case_text = print(run.subject);
  record.engine = "fake";
  record.versions = {"fake 1"};
  record.device = "cpu";
  record.world_size = world_size(mesh_of(run.subject.stack));
  const Hash128 hash = hash_of(record.case_text);
  for (int step = 0; step < run.subject.settings.steps; ++step) {
    const Bits64 loss = bits_of(static_cast<double>(hash.words[0] % 1000) / 128 + step);
    record.steps.push_back({.loss = std::vector<Bits64>(record.world_size, loss),
                            .gradient_norm = std::vector<Bits64>(record.world_size, bits_of(1.5))});
  }
  if (run.keep != Keep::none)
    record.parameters.push_back({.name = "output.weight",
                                 .shape = {120, 48},
                                 .gradient = std::vector<Hash128>(run.subject.settings.steps, hash),
                                 .value = hash_of(record.case_text + " value"),
                                 .changed = true});
  return record;
}

// What a rank does at the place of its fault. Those that return let the case go on.
const std::map<std::string, void (*)(const Run&)>& rank_faults() {
  static const auto& faults = *new std::map<std::string, void (*)(const Run&)>{
      {"crash", [](const Run&) { raise(SIGSEGV); }},
      {"abort", [](const Run&) { abort(); }},
      {"kill",
       [](const Run&) {
         kill(getpid(), SIGKILL);
         sleep_for_ever();
       }},
      {"exit",
       [](const Run&) {
         std::cerr << "giving up\n";
         exit(3);
       }},
      {"hang", [](const Run&) { sleep_for_ever(); }},
      {"slow", [](const Run&) { std::this_thread::sleep_for(milliseconds(100)); }},
      {"nonsense",
       [](const Run&) {
         say("loss: 0.25\n");
         sleep_for_ever();
       }},
      {"huge_line",
       [](const Run&) {
         while (true) say(std::string(1 << 16, 'x'));
       }},
      {"truncated_line",
       [](const Run& run) {
         say(encode(Answer{.id = run.id, .record = made_up(run)}).substr(0, 100));
         _exit(0);
       }},
      {"wrong_id",
       [](const Run& run) {
         say(encode(Answer{.id = run.id + 1, .record = made_up(run)}) + "\n");
         sleep_for_ever();
       }},
      {"other_case",
       [](const Run& run) {
         Run other = run;
         other.subject = parse_case("ac").value();
         say(encode(Answer{.id = run.id, .record = made_up(other)}) + "\n");
         sleep_for_ever();
       }},
      {"second_hello",
       [](const Run&) {
         say(encode(Hello{}) + "\n");
         sleep_for_ever();
       }},
      {"chatter",
       [](const Run& run) {
         while (true) say(encode(Progress{.id = run.id, .step = 0}) + "\n");
       }},
      {"flood_stderr",
       [](const Run&) {
         std::cerr << "first words\n";
         for (int i = 0; i < 20000; ++i) std::cerr << std::string(99, '.') << '\n';
         std::cerr << "last words" << std::endl;
         abort();
       }},
      {"leave_child",
       [](const Run&) {
         if (fork() == 0) sleep_for_ever();  // holds every pipe open
         raise(SIGSEGV);
       }},
  };
  return faults;
}

// All but the last: the fault of the whole world, and what follows a proper answer.
constexpr std::array kOtherFaults{"throw", "all_wait", "answer_twice", "answer_again_later", "die_after_answer"};

// Ranks as threads that meet after every module.
class World {
 public:
  explicit World(const Run& run) : run_(run), ranks_(world_size(mesh_of(run.subject.stack))) {
    if (run.flight_file.empty()) return;
    auto recorder = FlightRecorder::create(run.flight_file, ranks_);
    if (!recorder) throw std::runtime_error(recorder.error().message);
    recorder_ = std::move(recorder).value();
  }

  std::optional<Failure> go() {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks_; ++rank) threads.emplace_back([this, rank] { run_rank(rank); });
    threads.clear();
    return failure_;
  }

 private:
  void run_rank(int rank) {
    if (recorder_) recorder_->at_step(rank, 0, Phase::forward);
    for (std::size_t module = 0; module < kModules.size(); ++module) {
      if (recorder_) recorder_->at_module(rank, Phase::forward, kModules[module]);
      if (run_.fault && run_.fault->rank == rank && run_.fault->module == kModules[module])
        fault_here(rank, static_cast<int>(module));
      meet(rank, static_cast<int>(module));
      if (failure_seen_) return;
    }
    if (recorder_) recorder_->finished(rank);
  }

  void fault_here(int rank, int module) {
    // A thread that crashes or exits is told by the flight file. For the rest the others are let come to rest first:
    // which of several busy ranks ended a process could not be told.
    const std::string& kind = run_.fault->kind;
    if (kind != "crash" && kind != "abort" && kind != "exit")
      while (arrived_.load() < module * ranks_ + ranks_ - 1) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (const auto found = rank_faults().find(run_.fault->kind); found != rank_faults().end()) found->second(run_);
    if (run_.fault->kind == "throw") {
      const std::lock_guard lock(mutex_);
      failure_ = Failure{.phase = Phase::forward,
                         .rank = rank,
                         .module = run_.fault->module,
                         .operation = "",
                         .group = "",
                         .sequence = -1,
                         .message = "thrown on request",
                         .ranks = {}};
      failure_seen_ = true;
    }
  }

  void meet(int rank, int sequence) {
    if (recorder_) recorder_->at_collective(rank, "all_gather", "tp", sequence, "float64 [4, 24, 48]");
    arrived_.fetch_add(1);  // after the flight file says so
    const bool never = run_.fault && run_.fault->kind == "all_wait" && run_.fault->module == kModules[sequence];
    while ((arrived_.load() < (sequence + 1) * ranks_ || never) && !failure_seen_)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (recorder_) recorder_->left_collective(rank);
  }

  const Run& run_;
  const int ranks_;
  std::unique_ptr<FlightRecorder> recorder_;
  std::atomic<int> arrived_{0};
  std::mutex mutex_;
  std::atomic<bool> failure_seen_{false};
  std::optional<Failure> failure_;
};

void answer(const Run& run) {
  Record record = made_up(run);
  if (std::optional<Failure> failure = World(run).go()) {
    record.ending = Ending::failed;
    record.failure = std::move(failure);
    record.steps.clear();
    record.parameters.clear();
  }
  say(encode(Progress{.id = run.id, .step = 0}) + "\n");
  const std::string line = encode(Answer{.id = run.id, .record = record}) + "\n";
  const std::string kind = run.fault ? run.fault->kind : "";
  say(kind == "answer_twice" ? line + line : line);
  if (kind == "answer_again_later") {
    std::this_thread::sleep_for(milliseconds(20));
    say(line);
  }
  if (kind == "die_after_answer") {
    std::this_thread::sleep_for(milliseconds(20));
    _exit(4);
  }
}

Hello hello() {
  Hello hello{.engine = "fake",
              .versions = {"fake 1"},
              .devices = {"cpu"},
              .transforms = {{"pp"}, {"tp"}, {"ac"}, {"compile"}, {"fsdp"}},
              .models = {"llama"},
              .faults = {kOtherFaults.begin(), kOtherFaults.end()},
              .max_ranks = 16,
              .content_hash = content_hash};
  for (const auto& [kind, act] : rank_faults()) hello.faults.push_back(kind);
  return hello;
}

// Returns when the hello has been said and the worker should go on.
void start(const std::string& behaviour) {
  if (behaviour == "silent") sleep_for_ever();
  if (behaviour == "crash") {
    std::cerr << "cannot load anything\n";
    raise(SIGSEGV);
  }
  if (behaviour == "exit") _exit(7);
  if (behaviour == "nonsense") say("Welcome to fake!\n");
  if (behaviour == "other_version") {
    std::string line = encode(hello());
    const std::string own = fmt::format("\"protocol\":{}", kProtocolVersion);
    line.replace(line.find(own), own.size(), "\"protocol\":9");
    say(line + "\n");
  }
  if (behaviour == "other_engine") {
    Hello other = hello();
    other.engine = "real";
    say(encode(other) + "\n");
  }
  if (behaviour == "signals") {  // says in a version which signals it was born with ignored or blocked
    Hello honest = hello();
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    struct sigaction pipe{};
    sigaction(SIGPIPE, nullptr, &pipe);
    honest.versions = {std::string("blocked ") + (sigismember(&blocked, SIGUSR1) ? "yes" : "no"),
                       std::string("ignored ") + (pipe.sa_handler == SIG_IGN ? "yes" : "no")};
    say(encode(honest) + "\n");
  }
  if (behaviour.empty()) say(encode(hello()) + "\n");
}

}  // namespace
}  // namespace ordercheck

int main(int argc, char** argv) {
  using namespace ordercheck;
  rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  std::string behaviour;
  bool linger = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--at-start=")) behaviour = argument.substr(11);
    if (argument.starts_with("--hash=")) content_hash = argv[i] + 7;
    if (argument == "--linger") linger = true;
  }
  start(behaviour);
  std::string line;
  while (std::getline(std::cin, line)) {
    Result<Run> run = decode_run(line);
    if (!run) {
      std::cerr << run.error().message << std::endl;
      return 2;
    }
    answer(*run);
  }
  if (linger) sleep_for_ever();
  return 0;
}
