// One live worker: a child process that speaks the protocol, from its hello to its end. The supervisor owns time and
// death: whatever the child does, run() returns a record.
//
// Thread rules: as ChildProcess; start, use and destroy a worker on one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/bounded_text.h"
#include "engine/child_process.h"
#include "engine/engine_spec.h"
#include "protocol/messages.h"

namespace ordercheck {

// Bytes as they come out of a pipe, and the lines in them. Not thread safe.

class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }

  // The next whole line without its newline; false when there is none yet.
  bool take(std::string& line) {
    const std::size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return false;
    }
    line.assign(bytes_, taken_, end - taken_);
    taken_ = searched_ = end + 1;
    // Moved down only once half of it is spent: taking many short lines stays linear.
    if (taken_ * 2 >= bytes_.size()) {
      bytes_.erase(0, taken_);
      taken_ = searched_ = 0;
    }
    return true;
  }

  // Bytes that no line was taken from.
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
  std::chrono::milliseconds farewell{2'000};  // from the closed stdin to the end, before it is killed
  std::size_t line_bytes = 256u << 20;        // a longer line is nonsense
  std::size_t stderr_bytes = 256u << 10;      // kept of a case's stderr, half of it from the beginning
};

struct WorkerOptions {
  Limits limits;
  std::filesystem::path scratch;            // an existing folder for flight files
  const std::atomic<bool>* stop = nullptr;  // set from outside: give up what is running and start nothing more
};

class Worker {
 public:
  // Starts the child and waits for its hello. An error says why there is none: the program, what it did, and the end of
  // its stderr.
  static Result<std::unique_ptr<Worker>> start(const EngineSpec& spec, const WorkerOptions& options);

  // Closes the child's stdin, waits for its farewell, then kills its group.
  ~Worker();
  Worker(const Worker&) = delete;

  const Hello& hello() const { return hello_; }
  pid_t pid() const { return child_->pid(); }

  // Whether another case may be given to it: it lives and has nothing more to say about the last one.
  bool ready();

  // Runs one case and never throws. A worker that did not answer properly is dead when this returns, and not ready().
  // Nothing when `stop` was set, or when the child broke of what it had run before: it was gone before it could take
  // the case, or ended before it made the flight file, or spoke about an earlier run. Another worker may then be asked.
  // An empty flight_file is replaced by one in the scratch folder.
  std::optional<Record> run(Run run);

  // What the child wrote to stderr since the case began, or since the start.
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
