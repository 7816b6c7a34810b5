// One child process with its three pipes, in a process group of its own.
//
// Thread rules: the kernel ends a child when the *thread* that started it ends, so that a supervisor that is killed
// leaves nothing behind. Start, use and destroy a child on one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// Stands in every error about a process that took too long to answer, which a loaded machine does to one that is right.
inline constexpr const char* kTooSlow = "is too slow:";

// The same command may succeed when it is run again: the error decides nothing about its input.
bool is_too_slow(const Error& error);

// How a process ended: by a signal, or with an exit code.
struct ProcessEnd {
  int signal = 0;  // 0 when it exited
  int exit_code = 0;
};

// "was killed by signal 11 (Segmentation fault)", "exited with code 3"
std::string describe(const ProcessEnd& end);

class ChildProcess {
 public:
  // `command[0]` is a path or is looked up in PATH. `environment` holds NAME=value lines that replace or join those of
  // this process. The child inherits no descriptor but its pipes, and no ignored or blocked signal. An error names the
  // program and the reason.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& command,
                                                     const std::vector<std::string>& environment);

  // Kills the whole group and reaps.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_; }    // to its stdin; non-blocking, -1 once closed
  int output() const { return output_; }  // of its stdout; non-blocking
  int errors() const { return errors_; }  // of its stderr; non-blocking
  void close_input();

  // Waits for it to end by itself, and says whether it did.
  bool ends_within(std::chrono::milliseconds limit) const;

  // Whether it has ended; it stays unreaped, so its id is nobody else's.
  bool ended() const;

  // Kills the group (also what an ended child left behind), reaps, and says how the child ended.
  ProcessEnd kill_and_reap();

 private:
  ChildProcess() = default;
  pid_t pid_ = -1;
  bool reaped_ = false;
  ProcessEnd end_;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
};

// Writes all of `text` to a pipe, waiting at most `milliseconds` for room; false when the reader is gone or does not
// read. Never raises SIGPIPE.
bool write_all(int pipe, const std::string& text, int milliseconds);

}  // namespace ordercheck
