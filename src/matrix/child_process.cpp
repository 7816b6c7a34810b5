#include "matrix/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <fmt/format.h>

extern char** environ;

namespace ordercheck {
namespace {

// A pipe that closes its ends on destruction and on exec.
struct Pipe {
  int read = -1;
  int write = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~Pipe() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
  static int take(int& end) { return std::exchange(end, -1); }
};

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
  std::map<std::string, std::string> merged;
  const auto add = [&](const std::string& line) { merged[line.substr(0, line.find('='))] = line; };
  for (char** line = environ; *line != nullptr; ++line) add(*line);
  for (const std::string& line : additions) add(line);
  std::vector<std::string> lines;
  for (auto& [name, line] : merged) lines.push_back(std::move(line));
  return lines;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Runs in the child between fork and exec. Only async-signal-safe calls: another thread may have held any lock at fork.
[[noreturn]] void become(int input, int output, int errors, int report, pid_t parent, char* const* command,
                         char* const* environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl took effect.
  if (getppid() != parent) _exit(127);
  // The four descriptors may collide with targets 0 to 3: move them up first.
  const int moved_input = fcntl(input, F_DUPFD, 10);
  const int moved_output = fcntl(output, F_DUPFD, 10);
  const int moved_errors = fcntl(errors, F_DUPFD, 10);
  const int moved_report = fcntl(report, F_DUPFD, 10);
  dup2(moved_input, STDIN_FILENO);
  dup2(moved_output, STDOUT_FILENO);
  dup2(moved_errors, STDERR_FILENO);
  dup3(moved_report, 3, O_CLOEXEC);
  close_range(4, ~0u, 0);
  // exec resets handlers but keeps ignored signals ignored.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(command[0], command, environment);
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(3, &reason, sizeof(reason));
  _exit(127);
}

void make_non_blocking(int file) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

}  // namespace

bool is_too_slow(const Error& error) { return error.message.find(kTooSlow) != std::string::npos; }

std::string describe(const ProcessEnd& end) {
  if (end.signal != 0) return fmt::format("was killed by signal {} ({})", end.signal, strsignal(end.signal));
  return fmt::format("exited with code {}", end.exit_code);
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& command,
                                                          const std::vector<std::string>& environment) {
  assert(!command.empty() && "a command to start");
  const auto failed = [&](int reason) {
    return Error{fmt::format("cannot start '{}': {}", command[0], std::strerror(reason))};
  };
  Pipe input, output, errors, report;
  if (!input.open() || !output.open() || !errors.open() || !report.open()) return failed(errno);
  const std::vector<std::string> lines = merged_environment(environment);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> settings = pointers_to(lines);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return failed(errno);
  if (pid == 0) become(input.read, output.write, errors.write, report.write, parent, arguments.data(), settings.data());

  std::unique_ptr<ChildProcess> child(new ChildProcess);
  child->pid_ = pid;
  // Also set in the parent, so that the group exists before anyone kills it, whichever process runs first.
  setpgid(pid, pid);
  child->input_ = Pipe::take(input.write);
  child->output_ = Pipe::take(output.read);
  child->errors_ = Pipe::take(errors.read);
  for (const int file : {child->input_, child->output_, child->errors_}) make_non_blocking(file);
  // The report pipe closes if exec succeeds and carries errno if it fails.
  close(Pipe::take(report.write));
  int reason = 0;
  ssize_t got = 0;
  do got = read(report.read, &reason, sizeof(reason));
  while (got < 0 && errno == EINTR);
  if (got == sizeof(reason)) return failed(reason);
  return child;
}

ChildProcess::~ChildProcess() {
  kill_and_reap();
  close_input();
  close(output_);
  close(errors_);
}

void ChildProcess::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

bool ChildProcess::ended() const {
  if (reaped_) return true;
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
}

bool ChildProcess::ends_within(std::chrono::milliseconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!ended()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

ProcessEnd ChildProcess::kill_and_reap() {
  if (reaped_) return end_;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  end_ = WIFSIGNALED(status) ? ProcessEnd{.signal = WTERMSIG(status)} : ProcessEnd{.exit_code = WEXITSTATUS(status)};
  return end_;
}

bool write_all(int pipe, const std::string& text, int milliseconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  // A write to a pipe without a reader raises SIGPIPE in this thread: block it and consume the pending signal.
  sigset_t broken_pipe, before, pending;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  std::size_t done = 0;
  bool gone = false;
  while (done < text.size() && !gone && std::chrono::steady_clock::now() < deadline) {
    const ssize_t wrote = write(pipe, text.data() + done, text.size() - done);
    if (wrote > 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      pollfd room{.fd = pipe, .events = POLLOUT, .revents = 0};
      poll(&room, 1, 20);
    } else if (errno != EINTR) {
      gone = true;
    }
  }
  if (gone && !sigismember(&pending, SIGPIPE)) {
    const timespec at_once{};
    sigtimedwait(&broken_pipe, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return done == text.size();
}

}  // namespace ordercheck
