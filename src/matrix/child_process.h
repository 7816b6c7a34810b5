// Starts one child process with three pipes in its own process group.
//
// Thread rule: the kernel kills a child when the *thread* that started it ends, so a killed supervisor leaves no children.
// Start, use and destroy a child on one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// Marks every error about a process that took too long. A loaded machine can cause it, so it does not prove a bug.
inline constexpr const char* kTooSlow = "is too slow:";

// Whether the error has the kTooSlow mark, so that running the command again may succeed.
bool is_too_slow(const Error& error);

// How a process ended: by a signal or with an exit code.
struct ProcessEnd {
  int signal = 0;  // 0 if it exited
  int exit_code = 0;
};

// "was killed by signal 11 (Segmentation fault)", "exited with code 3"
std::string describe(const ProcessEnd& end);

class ChildProcess {
 public:
  // `command[0]` is a path or is looked up in PATH. `environment` holds NAME=value lines that extend or override this process's
  // environment. The child inherits only its pipes, and no ignored or blocked signals. An error names the program and the
  // reason.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& command,
                                                     const std::vector<std::string>& environment);

  // Kills the whole process group and reaps the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_; }    // to its stdin; non-blocking, -1 once closed
  int output() const { return output_; }  // of its stdout; non-blocking
  int errors() const { return errors_; }  // of its stderr; non-blocking
  void close_input();

  // Waits up to `limit` for the child to end by itself. Returns whether it did.
  bool ends_within(std::chrono::milliseconds limit) const;

  // Whether the child has ended. It stays unreaped, so the kernel cannot reuse its pid.
  bool ended() const;

  // Kills the process group, including processes that an ended child left running, reaps the child and returns how it ended.
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

// Writes all of `text` to a pipe, waiting at most `milliseconds` for space. Returns false if the reader is gone or does not
// read. Never raises SIGPIPE.
bool write_all(int pipe, const std::string& text, int milliseconds);

}  // namespace ordercheck
