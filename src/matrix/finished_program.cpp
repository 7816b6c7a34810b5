#include "matrix/finished_program.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "matrix/bounded_text.h"

namespace ordercheck {
namespace {

using Clock = std::chrono::steady_clock;

// Poll interval. A process that the child started can hold the pipes open after the child ended, so end of file is not enough.
constexpr int kPollMilliseconds = 20;
constexpr std::size_t kErrorBytes = 64u << 10;

// Reads the available bytes without waiting; false at the end of the pipe.
template <class Take>
bool take_all(int pipe, const Take& take) {
  std::array<char, 65536> chunk;
  while (true) {
    const ssize_t got = read(pipe, chunk.data(), chunk.size());
    if (got > 0)
      take(std::string_view(chunk.data(), static_cast<std::size_t>(got)));
    else if (got == 0)
      return false;
    else if (errno != EINTR)
      return true;
  }
}

}  // namespace

Result<FinishedProgram> run_to_end(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                                   const std::string& input, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  auto child = ChildProcess::start(command, environment);
  if (!child) return child.error();
  ChildProcess& program = **child;
  // Ignore a failed write: a program may not read its input, and its exit status shows whether that is an error.
  write_all(program.input(), input, static_cast<int>(limit.count()));
  program.close_input();
  FinishedProgram finished;
  BoundedText errors(kErrorBytes);
  while (true) {
    // Check before reading the pipes, so that the last read after the end sees all output.
    const bool ended = program.ended();
    const bool writes = take_all(program.output(), [&](std::string_view text) { finished.output += text; });
    const bool complains = take_all(program.errors(), [&](std::string_view text) { errors.append(text); });
    if (ended) break;
    if (Clock::now() >= deadline)
      return Error{
          fmt::format("{} {} it did not end within {:g} s", command[0], kTooSlow, static_cast<double>(limit.count()) / 1000)};
    // A closed pipe is always readable, so polling it would be a busy wait.
    std::array<pollfd, 2> ends{pollfd{writes ? program.output() : -1, POLLIN, 0},
                               pollfd{complains ? program.errors() : -1, POLLIN, 0}};
    poll(ends.data(), ends.size(), kPollMilliseconds);
  }
  finished.end = program.kill_and_reap();
  finished.last_error = errors.last_lines(1);
  return finished;
}

}  // namespace ordercheck
