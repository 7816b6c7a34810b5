// Runs one worker: a child process of an engine that executes cases and speaks the protocol of record/messages.h. Enforces
// timeouts and handles crashes: whatever the child does, run() returns a record.
//
// Thread rule: start, use and destroy a worker on one thread (see ChildProcess).
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "matrix/bounded_text.h"
#include "matrix/child_process.h"
#include "matrix/engine_spec.h"
#include "record/messages.h"

namespace ordercheck {

// Splits the bytes of a pipe into lines. Not thread safe.

class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }

  // Takes the next whole line without its newline; false if there is none yet.
  bool take(std::string& line) {
    const std::size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return false;
    }
    line.assign(bytes_, taken_, end - taken_);
    taken_ = searched_ = end + 1;
    // Compact only once half is consumed, so that taking many short lines stays linear.
    if (taken_ * 2 >= bytes_.size()) {
      bytes_.erase(0, taken_);
      taken_ = searched_ = 0;
    }
    return true;
  }

  // Bytes not yet taken as lines.
  std::size_t size() const { return bytes_.size() - taken_; }
  void clear() { *this = LineBuffer(); }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;
};

struct Limits {
  std::chrono::milliseconds hello{60'000};    // from the start to the hello
  std::chrono::milliseconds run{60'000};      // a case, from `run` to `record`
  std::chrono::milliseconds farewell{2'000};  // from closing stdin to the kill
  std::size_t line_bytes = 256u << 20;        // a longer line is invalid output
  std::size_t stderr_bytes = 256u << 10;      // kept of a case's stderr, half of it from the beginning
};

struct WorkerOptions {
  Limits limits;
  std::filesystem::path scratch;            // an existing folder for flight files
  const std::atomic<bool>* stop = nullptr;  // when a signal handler sets it, run() abandons its case
};

class Worker {
 public:
  // Starts the child and waits for its hello. An error names the program, what it did, and the end of its stderr.
  static Result<std::unique_ptr<Worker>> start(const EngineSpec& spec, const WorkerOptions& options);

  // Closes the child's stdin, waits for it to end, then kills its process group.
  ~Worker();
  Worker(const Worker&) = delete;

  const Hello& hello() const { return hello_; }
  pid_t pid() const { return child_->pid(); }

  // Whether the worker can take another case: the process is alive and has no unread output.
  bool ready();

  // Runs one case and never throws. If the worker does not answer correctly, it is killed, and ready() is false afterwards.
  // Returns nullopt if `stop` was set, or if an earlier case broke the child, so that the caller tries this case on another
  // worker. An earlier case broke it if the child had exited before this case, exited before creating the flight file, or
  // answered an earlier run. An empty Run::flight_file is replaced by a path in the scratch folder.
  std::optional<Record> run(Run run);

  // The child's stderr since the current case began; before the first case, since the start.
  const BoundedText& errors() const { return errors_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  enum class Heard { line, end, too_long, too_late, stop };

  Worker(const EngineSpec& spec, const WorkerOptions& options, std::unique_ptr<ChildProcess> child);

  Status greet();
  Heard listen(Deadline deadline, std::string& line);
  bool read_output();
  void read_errors();
  std::optional<Record> await_record(const Run& run);
  bool broke_earlier(const Run& run);
  Record failed(const Run& run, Ending ending, const std::string& what = {});
  std::string with_errors(const std::string& what) const;

  EngineSpec spec_;
  WorkerOptions options_;
  std::unique_ptr<ChildProcess> child_;
  Hello hello_;
  LineBuffer output_;
  BoundedText errors_;
  int cases_ = 0;  // answered
  bool broken_ = false;
};

}  // namespace ordercheck
