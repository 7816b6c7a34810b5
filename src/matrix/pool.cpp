#include "matrix/pool.h"

#include <stdlib.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "matrix/lost_run.h"

namespace ordercheck {
struct Pool::State {
  EngineSpec spec;
  PoolOptions options;
  std::filesystem::path scratch;  // removed with the pool
  std::int64_t first_id = 1;      // id of the first run in the next run()

  std::mutex mutex;
  std::condition_variable work;      // wakes the seats: new cases or the end of the pool
  std::condition_variable delivery;  // wakes run() and start(): something finished
  bool closing = false;
  std::atomic<bool> stop{false};  // the pool's own flag, set after an exception from deliver

  std::optional<Hello> hello;  // from the first worker
  std::optional<Error> start_error;

  const std::vector<Run>* runs = nullptr;
  std::size_t next = 0;
  int busy = 0;
  std::deque<std::pair<std::size_t, Record>> done;

  std::vector<std::jthread> seats;  // last member: joined before the others are destroyed

  bool stopped() const { return stop || (options.stop != nullptr && *options.stop); }
  bool has_work() const { return runs != nullptr && next < runs->size() && !stopped(); }
  void sit(bool first);
};

// One thread per seat for the lifetime of the pool: a worker must stay on the thread that started it.
void Pool::State::sit(bool first) {
  Seat seat(spec, {.limits = options.limits, .scratch = scratch, .stop = options.stop});
  if (first) {
    const Status prepared = seat.prepare(nullptr);
    const std::lock_guard lock(mutex);
    if (prepared)
      hello = seat.hello();
    else
      start_error = prepared.error();
    delivery.notify_all();
    if (!prepared) return;
  }
  std::unique_lock lock(mutex);
  while (true) {
    work.wait(lock, [&] { return closing || has_work(); });
    if (closing) return;
    const std::size_t index = next++;
    Run run = (*runs)[index];
    run.id = first_id + static_cast<std::int64_t>(index);
    ++busy;
    lock.unlock();
    std::optional<Record> record = seat.run(run, *hello);
    lock.lock();
    --busy;
    if (record) done.emplace_back(index, std::move(*record));
    delivery.notify_all();
  }
}

Pool::Pool(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Pool>> Pool::start(const EngineSpec& spec, const PoolOptions& options) {
  assert(options.jobs >= 1 && "at least one worker");
  std::error_code failed;
  std::string scratch = (std::filesystem::temp_directory_path(failed) / "ordercheck-XXXXXX").string();
  if (failed || mkdtemp(scratch.data()) == nullptr)
    return Error{called(spec) + ": cannot create a folder for flight files " + scratch + ": " +
                 (failed ? failed.message() : std::strerror(errno)) + "; set TMPDIR to a folder that can be written"};
  auto state = std::make_unique<State>();
  state->spec = spec;
  state->options = options;
  state->scratch = scratch;
  State* shared = state.get();
  std::unique_ptr<Pool> pool(new Pool(std::move(state)));
  shared->seats.emplace_back([shared] { shared->sit(true); });
  {
    std::unique_lock lock(shared->mutex);
    shared->delivery.wait(lock, [&] { return shared->hello || shared->start_error; });
  }
  if (shared->start_error) return *shared->start_error;
  for (int seat = 1; seat < options.jobs; ++seat) shared->seats.emplace_back([shared] { shared->sit(false); });
  return pool;
}

Pool::~Pool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->work.notify_all();
  }
  state_->seats.clear();
  std::error_code ignored;
  std::filesystem::remove_all(state_->scratch, ignored);
}

const Hello& Pool::hello() const { return *state_->hello; }

bool Pool::run(const std::vector<Run>& runs, const Deliver& deliver) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  assert(state.runs == nullptr && "one run() at a time");
  state.runs = &runs;
  state.next = 0;
  state.work.notify_all();
  std::size_t delivered = 0;
  std::exception_ptr thrown;
  while (true) {
    // Setting the stop flag notifies nobody, so poll it.
    state.delivery.wait_for(lock, std::chrono::milliseconds(50), [&] { return !state.done.empty(); });
    while (!state.done.empty()) {
      const auto [index, record] = std::move(state.done.front());
      state.done.pop_front();
      lock.unlock();
      try {
        // After an exception, only drain the remaining records.
        if (!thrown) deliver(index, record);
      } catch (...) {
        thrown = std::current_exception();
        state.stop = true;
      }
      lock.lock();
      ++delivered;
    }
    if (state.busy == 0 && state.done.empty() && !state.has_work()) break;
  }
  // Keep run ids unique over the lifetime of the pool.
  state.first_id += static_cast<std::int64_t>(runs.size());
  state.runs = nullptr;
  state.stop = false;
  lock.unlock();
  if (thrown) std::rethrow_exception(thrown);
  return delivered == runs.size();
}

Status Seat::prepare(const Hello* expected) {
  if (worker_ && worker_->ready()) return Done{};
  worker_.reset();
  Result<std::unique_ptr<Worker>> started = Worker::start(spec_, options_);
  if (!started) return started.error();
  if (expected != nullptr && started.value()->hello() != *expected)
    return Error{called(spec_) + ": worker " + spec_.command[0] + " was changed while it was in use: expected content hash " +
                 expected->content_hash + ", got " + started.value()->hello().content_hash + "; run again"};
  worker_ = std::move(started).value();
  return Done{};
}

std::optional<Record> Seat::run(const Run& run, const Hello& expected) {
  const auto stopped = [&] { return options_.stop != nullptr && *options_.stop; };
  std::string why = "the worker was gone before it could take the case";
  // Try twice: an idle worker may end between the check and the message, which the case did not cause.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (stopped()) return std::nullopt;
    if (Status prepared = prepare(&expected); !prepared) {
      why = prepared.error().message;
      continue;
    }
    if (std::optional<Record> record = worker_->run(run)) return record;
  }
  if (stopped()) return std::nullopt;
  Failure failure;
  failure.message = why;
  return unfinished(run, expected, Ending::unstarted, std::move(failure));
}

namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> in_use{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

InterruptFlag::InterruptFlag() {
  [[maybe_unused]] const bool taken = in_use.exchange(true);
  assert(!taken && "one InterruptFlag at a time");
  interrupted = false;
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal finds the default handler
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
  in_use = false;
}

const std::atomic<bool>* InterruptFlag::get() const { return &interrupted; }

}  // namespace ordercheck
