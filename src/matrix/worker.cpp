#include "matrix/worker.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/lost_run.h"
#include "record/flight.h"

namespace ordercheck {
namespace {

using Clock = std::chrono::steady_clock;

// The longest wait before the stop flag and the child are checked again. A process that the child started can hold the pipes
// open after the child ended, so end of file is not enough.
constexpr int kSliceMilliseconds = 50;

// Time limit for a child that closed its output to end: Python closes it some time before the process ends.
constexpr std::chrono::seconds kLastMoments{10};

std::string seconds(std::chrono::milliseconds time) { return fmt::format("{:g} s", time.count() / 1000.0); }

}  // namespace

Worker::Worker(const EngineSpec& spec, const WorkerOptions& options, std::unique_ptr<ChildProcess> child)
    : spec_(spec), options_(options), child_(std::move(child)), errors_(options.limits.stderr_bytes) {}

Result<std::unique_ptr<Worker>> Worker::start(const EngineSpec& spec, const WorkerOptions& options) {
  Result<std::unique_ptr<ChildProcess>> child = ChildProcess::start(spec.command, spec.environment);
  if (!child) return Error{called(spec) + ": " + child.error().message};
  std::unique_ptr<Worker> worker(new Worker(spec, options, std::move(child).value()));
  if (Status greeted = worker->greet(); !greeted)
    return Error{called(spec) + ": worker " + spec.command[0] + " " + greeted.error().message};
  return worker;
}

Status Worker::greet() {
  std::string line;
  const auto wrong = [&](const std::string& what) {
    broken_ = true;
    return Error{with_errors(what)};
  };
  const std::chrono::milliseconds limit = options_.limits.hello + spec_.slow_start;
  switch (listen(Clock::now() + limit, line)) {
    case Heard::line: break;
    case Heard::end: return wrong(describe(child_->kill_and_reap()) + " before its hello");
    case Heard::too_long: return wrong("wrote a line without an end in place of its hello");
    case Heard::too_late: return wrong(fmt::format("{} no hello within {}", kTooSlow, seconds(limit)));
    case Heard::stop: return wrong("was stopped before its hello");
  }
  Result<WorkerMessage> message = decode_worker(line);
  if (!message) return wrong("wrote no hello: " + message.error().message);
  const auto* hello = std::get_if<Hello>(&*message);
  if (hello == nullptr) return wrong("wrote another message in place of its hello");
  if (!spec_.name.empty() && hello->engine != spec_.name)
    return wrong(fmt::format("is of another engine: expected '{}', got '{}'", spec_.name, hello->engine));
  hello_ = *hello;
  return Done{};
}

Worker::~Worker() {
  if (broken_) return;
  child_->close_input();
  const Clock::time_point deadline = Clock::now() + options_.limits.farewell;
  while (!child_->ended() && Clock::now() < deadline) {
    // Keep reading, so that the child does not block on a full pipe.
    std::array<pollfd, 2> ends{pollfd{child_->output(), POLLIN, 0}, pollfd{child_->errors(), POLLIN, 0}};
    poll(ends.data(), ends.size(), 2);
    read_errors();
    read_output();
    output_.clear();
  }
}

bool Worker::ready() {
  if (broken_ || child_->ended()) return false;
  read_output();
  return output_.size() == 0;
}

// Reads the available bytes without waiting; false at the end of the pipe.
bool Worker::read_output() {
  std::array<char, 65536> chunk;
  // Bounded as in read_errors(), but several times the capacity of a pipe, so that all output of an ended child is read.
  for (int reads = 0; reads < 64; ++reads) {
    const ssize_t got = read(child_->output(), chunk.data(), chunk.size());
    if (got > 0)
      output_.append({chunk.data(), static_cast<std::size_t>(got)});
    else if (got == 0)
      return false;
    else if (errno != EINTR)
      return true;
  }
  return true;
}

void Worker::read_errors() {
  std::array<char, 65536> chunk;
  // Bounded: a child that never stops writing must not block the supervisor here.
  for (int reads = 0; reads < 16; ++reads) {
    const ssize_t got = read(child_->errors(), chunk.data(), chunk.size());
    if (got > 0)
      errors_.append({chunk.data(), static_cast<std::size_t>(got)});
    else if (got == 0 || errno != EINTR)
      return;
  }
}

Worker::Heard Worker::listen(Deadline deadline, std::string& line) {
  while (true) {
    // Check before reading the pipe, so that the last read after the end sees all output.
    const bool ended = child_->ended();
    const bool open = read_output();
    read_errors();
    if (output_.take(line)) return Heard::line;
    if (output_.size() > options_.limits.line_bytes) return Heard::too_long;
    if (ended) return Heard::end;
    if (options_.stop != nullptr && *options_.stop) return Heard::stop;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Heard::too_late;
    // A closed stdout is always readable: poll nothing and only wait for the child to end.
    std::array<pollfd, 2> ends{pollfd{child_->errors(), POLLIN, 0}, pollfd{child_->output(), POLLIN, 0}};
    const int slice = static_cast<int>(std::min<long long>(left, open ? kSliceMilliseconds : 2));
    poll(ends.data(), open ? 2 : 0, slice);
  }
}

std::optional<Record> Worker::run(Run run) {
  // Earlier stderr belongs to another case.
  errors_.clear();
  if (run.flight_file.empty()) run.flight_file = (options_.scratch / fmt::format("flight-{}", pid())).string();
  std::error_code ignored;
  std::filesystem::remove(run.flight_file, ignored);  // it holds the ranks of the last case
  // A worker that does not read its input hung or ended because of an earlier case. Make no record, so that a new worker runs
  // this case.
  if (!write_all(child_->input(), encode(run) + "\n", static_cast<int>(options_.limits.run.count()))) {
    broken_ = true;
    return std::nullopt;
  }
  std::optional<Record> record = await_record(run);
  std::filesystem::remove(run.flight_file, ignored);
  return record;
}

std::optional<Record> Worker::await_record(const Run& run) {
  const Deadline deadline = Clock::now() + options_.limits.run;
  std::string line;
  while (true) {
    switch (listen(deadline, line)) {
      case Heard::line: break;
      case Heard::end:
        if (broke_earlier(run)) return std::nullopt;
        return failed(run, Ending::died);
      case Heard::too_late: return failed(run, Ending::timed_out);
      case Heard::too_long:
        return failed(run, Ending::garbled,
                      fmt::format("expected lines of at most {} bytes, got a longer one", options_.limits.line_bytes));
      case Heard::stop: broken_ = true; return std::nullopt;
    }
    Result<WorkerMessage> message = decode_worker(line);
    if (!message) return failed(run, Ending::garbled, message.error().message);
    if (std::holds_alternative<Hello>(*message)) return failed(run, Ending::garbled, "expected a record, got a hello");
    const auto* progress = std::get_if<Progress>(&*message);
    // A message about an earlier run, which already has its record, means that the earlier run broke the worker. Calling this
    // case garbled would blame the wrong run.
    if ((progress != nullptr ? progress->id : std::get<Answer>(*message).id) < run.id && cases_ > 0) {
      broken_ = true;
      return std::nullopt;
    }
    if (progress != nullptr) {
      if (progress->id != run.id)
        return failed(run, Ending::garbled, fmt::format("expected progress of run {}, got of run {}", run.id, progress->id));
      // A worker that only reports progress must not exceed the timeout.
      if (Clock::now() >= deadline) return failed(run, Ending::timed_out);
      continue;
    }
    Answer answer = std::get<Answer>(std::move(message).value());
    if (answer.id != run.id)
      return failed(run, Ending::garbled, fmt::format("expected the record of run {}, got of run {}", run.id, answer.id));
    if (answer.record.case_text != print(run.subject) || answer.record.engine != hello_.engine)
      return failed(run, Ending::garbled,
                    fmt::format("expected the record of '{}' by engine {}, got of '{}' by engine {}", print(run.subject),
                                hello_.engine, answer.record.case_text, answer.record.engine));
    read_errors();
    ++cases_;
    return std::move(answer.record);
  }
}

// A worker creates the flight file first. If it ended without one after earlier answers, an earlier case broke it. A new worker
// that ends so was broken by this case.
bool Worker::broke_earlier(const Run& run) {
  std::error_code ignored;
  if (cases_ == 0 || std::filesystem::exists(run.flight_file, ignored)) return false;
  broken_ = true;
  return true;
}

// Reads the flight file before killing the child: live ranks keep writing, and the file must show their state at the timeout.
Record Worker::failed(const Run& run, Ending ending, const std::string& what) {
  broken_ = true;
  const Result<std::vector<FlightSlot>> slots = read_flight(run.flight_file);
  // A child that closed its output is about to end; wait, so that the kill below does not hide its exit status.
  const bool ended_itself = ending == Ending::died && child_->ends_within(kLastMoments);
  const ProcessEnd end = child_->kill_and_reap();
  read_errors();
  Failure failure = place_of_failure(ending, slots ? *slots : std::vector<FlightSlot>());
  std::string message;
  if (ending == Ending::died) {
    message = ended_itself ? "the worker " + describe(end) : "the worker closed its output and went on";
    // SIGKILL comes from the OOM killer or a person, so it says nothing about the case.
    if (ended_itself && end.signal == SIGKILL) ending = Ending::killed;
    if (output_.size() > 0 && end.signal == 0) {
      ending = Ending::garbled;
      message += fmt::format(" in the middle of a line, after {} bytes of it", output_.size());
    }
  } else if (ending == Ending::timed_out) {
    message = "no record within " + seconds(options_.limits.run);
    if (failure.rank >= 0)
      message += fmt::format("; rank {} is in no collective and makes no progress", failure.rank);
    else if (!failure.operation.empty())
      message += fmt::format("; every rank waits, one longest in {} on {}", failure.operation, failure.group);
  } else {
    message = "the worker wrote something that is not the protocol: " + what;
  }
  failure.message = with_errors(message);
  return unfinished(run, hello_, ending, std::move(failure));
}

std::string Worker::with_errors(const std::string& what) const {
  const std::string last = errors_.last_lines(3);
  return one_line(what) + (last.empty() ? "" : "; stderr ends: " + last);
}

}  // namespace ordercheck
