// ordercheck record -- COMMAND: runs a job unchanged and records which transforms it applies, in which order.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "import/recording/recorded_stack.h"
#include "import/recording/recording.h"
#include "matrix/engine_spec.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string out = "job.json";
  std::vector<std::string> command;
};

pid_t recorded_job = 0;

void forward(int signal_number) {
  if (recorded_job > 0) kill(recorded_job, signal_number);
}

// The folder with sitecustomize.py, in a checkout and in an installation.
Result<fs::path> recorder_folder() {
  const fs::path folder = "src/python/ordercheck/recorder";
  if (const auto home = home_of(folder / "sitecustomize.py")) return *home / folder;
  return Error{fmt::format("{}/sitecustomize.py is not in this installation; install ordercheck again", folder.string())};
}

// What changes if the job replaces the file; "" if there is no file. An inode alone may be used again.
std::string mark_of(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return "";
  return fmt::format("{} {} {} {}", found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size);
}

Result<int> run_job(const std::vector<std::string>& command) {
  // If a parent passed it on ignored, there would be no exit status to wait for.
  signal(SIGCHLD, SIG_DFL);
  recorded_job = fork();
  if (recorded_job < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  if (recorded_job == 0) {
    std::vector<char*> arguments;
    for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int code = errno == ENOENT ? 127 : 126;
    std::fprintf(stderr, "ordercheck record: cannot run %s: %s\n", arguments.front(), std::strerror(errno));
    _exit(code);
  }
  // A terminal sends SIGINT to the job itself; a scheduler sends SIGTERM to this process alone.
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  for (const int one : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) signal(one, forward);
  int status = 0;
  while (waitpid(recorded_job, &status, 0) < 0)
    if (errno != EINTR) return Error{fmt::format("cannot wait for the job: {}", std::strerror(errno))};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void report(const std::string& out, const std::string& before) {
  if (mark_of(out) == before || mark_of(out).empty()) {
    fmt::print(stderr,
               "ordercheck record: no process of rank 0 made a recorded call, so {} was not written; is the Python of the job "
               "started with -I, -E or -S, or its environment replaced?\n",
               out);
    return;
  }
  const auto text = read_file(out);
  if (!text) return;
  const auto recording = parse_recording(*text, out);
  if (!recording) {
    fmt::print(stderr, "ordercheck record: {}\n", recording.error().message);
    return;
  }
  const std::string stack = print(recorded_stack(*recording).stack);
  fmt::print(stderr, "ordercheck record: wrote {}: {}; to judge it: ordercheck check {}\n", out,
             stack.empty() ? "model (no transform)" : stack, out);
}

Result<int> run_record(const RecordOptions& options) {
  if (options.command.empty()) return Error{"no command; expected: ordercheck record -- torchrun --nproc-per-node 2 train.py"};
  const auto folder = recorder_folder();
  if (!folder) return folder.error();
  const std::string out = fs::absolute(options.out).string();
  if (fs::is_directory(out)) return Error{fmt::format("--out {}: is a folder; expected a file", one_line(options.out))};
  if (const Status writable = check_writable(fs::path(out).parent_path()); !writable) return writable.error();
  const std::string path = environment_of("PYTHONPATH");
  setenv("PYTHONPATH", (folder->string() + (path.empty() ? "" : ":" + path)).c_str(), 1);
  setenv("ORDERCHECK_RECORD", out.c_str(), 1);
  const std::string before = mark_of(out);
  const auto code = run_job(options.command);
  if (code) report(options.out, before);
  return code;
}

}  // namespace

void add_record(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command =
      app.add_subcommand("record", "Run a job and record which transforms it applies, in which order")->group(kAsk);
  command->add_option("--out", options->out, "The file to write, by rank 0")->capture_default_str();
  command->add_option("command", options->command, "The job's command, after --; its exit code is that of record")->required();
  show_examples(*command,
                {"record -- torchrun --nproc-per-node 2 train.py", "record --out night.json -- accelerate launch train.py"});
  command->callback([options, &exit_code] { exit_code = ended("record", run_record(*options)); });
}

}  // namespace ordercheck::cli
