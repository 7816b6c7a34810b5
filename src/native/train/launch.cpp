#include "native/train/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "native/train/launch_environment.h"
#include "native/train/launched_case.h"
#include "native/train/run_case.h"
#include "native/train/serve.h"
#include "native/world/launched_world.h"
#include "record/messages.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingAgainst = 0, kDecidedAgainst = 1, kBadInput = 2, kUndecided = 3;
constexpr const char* kNothingMore = "";  // rank 0's last announcement: the other ranks then exit

int told(const std::string& who, const std::string& what, int code) {
  std::cerr << fmt::format("ordercheck-ranks: {}{}\n", who, one_line(what));
  return code;
}

// Returns the program and its versions as text. LaunchedWorld compares it, because hosts with different versions would run
// different code.
std::string program_text() {
  const auto program = read_file("/proc/self/exe");
  return fmt::format("{}, program {}", join(versions_in({.world = WorldKind::gloo}), ", "),
                     program ? hex(hash_of(*program)) : "unreadable");
}

// Runs cases in the launched world. Notes when the world is lost, so that this does not count as a failure of the case.
class WorldRuns {
 public:
  explicit WorldRuns(LaunchedWorld& world) : world_(world) {}

  Record run(const Run& run) {
    const ProcessWorld in_world = [&](const auto& mesh, const auto& options, const auto& body, auto& answers) -> WorldResult {
      try {
        return world_.run(mesh, options, body, answers);
      } catch (const std::exception& error) {
        gone_ = what_of(error);
      }
      return {.ending = Ending::killed, .failure = Failure{.message = *gone_}};
    };
    return run_case_on(in_world, world_.size(), run);
  }

  // Returns why no further run is possible; nullopt if the world is intact.
  const std::optional<std::string>& gone() const { return gone_; }

  static std::string what_of(const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    return of_torch ? of_torch->what_without_backtrace() : error.what();
  }

 private:
  LaunchedWorld& world_;
  std::optional<std::string> gone_;
};

// Returns the record of a case that was not run because the world had ended.
Record not_run(const Run& run) {
  return {.case_text = print(run.subject),
          .engine = "native",
          .versions = versions_in({.world = WorldKind::gloo}),
          .device = "cpu",
          .ending = Ending::unstarted,
          .failure = Failure{.message = "not run: the world was over, since a rank was lost before"}};
}

int follow(LaunchedWorld& world) {
  WorldRuns runs(world);
  for (std::string what; !(what = world.await_announcement()).empty();) {
    const auto run = decode_run(what);
    if (!run) throw WorldGone(fmt::format("rank 0 said what is no run: {}", run.error().message));
    runs.run(*run);
    if (runs.gone()) throw WorldGone(*runs.gone());
  }
  world.part();
  return kNothingAgainst;
}

Result<std::string> text_of(const std::string& path) {
  if (path != "-") return read_file(path);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

// Checks that the record file can be written, before any run, so that a launch does not end at a missing folder.
Status check_record(const fs::path& record) {
  std::error_code failed;
  if (fs::is_directory(record, failed))
    return Error{fmt::format("--record {} is a folder; name a file in it", record.string())};
  const fs::path folder = record.has_parent_path() ? record.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failed))
    return Error{fmt::format("--record {}: there is no folder {}; make it first", record.string(), folder.string())};
  if (access(folder.c_str(), W_OK) != 0)
    return Error{
        fmt::format("--record {}: cannot write to the folder {}: {}", record.string(), folder.string(), std::strerror(errno))};
  return Done{};
}

int code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
    case Verdict::close: return kNothingAgainst;
    case Verdict::unstable:
    case Verdict::unrun: return kUndecided;
    default: return kDecidedAgainst;
  }
}

class Stdout {
 public:
  explicit Stdout(int descriptor) : descriptor_(descriptor) {}
  void line(const std::string& text) const {
    const std::string whole = text + "\n";
    [[maybe_unused]] const ssize_t written = write(descriptor_, whole.data(), whole.size());
  }

 private:
  int descriptor_;
};

// Returns the exit code of two cases together: 3 (no verdict) outranks 1 and 0, because the case must run again.
int worse(int one, int other) { return std::max(one, other); }

Result<int> lead(LaunchedWorld& world, const LaunchOptions& options, const std::vector<Case>& cases, Launcher launcher,
                 const Stdout& out) {
  WorldRuns runs(world);
  LaunchedCases observed([&](const Case& c) {
    const Run run{.subject = c};
    if (world.is_over() || runs.gone()) return not_run(run);
    world.announce(encode(run));
    return runs.run(run);
  });
  int code = kNothingAgainst;
  for (const Case& c : cases) {
    const Observation seen = observed.observe(c);
    if (const Status written = replace_file(options.record, print_evidence(observed.table())); !written) return written.error();
    out.line(one_line(fmt::format("{:<10}{}: {}", name_of(seen.verdict), print(c), seen.message)));
    code = worse(code, code_of(seen.verdict));
  }
  out.line(fmt::format("wrote {}: {} on {} ({}); `ordercheck matrix merge {}` holds them against the rules", options.record,
                       counted(std::ssize(cases), "case"), counted(world.size(), "rank"), name_of(launcher), options.record));
  if (!world.is_over() && !runs.gone()) {
    world.announce(kNothingMore);
    world.part();
  }
  return code;
}

// Runs rank 0. Validates the input first; if it is invalid, announces the end, so that the other ranks do not wait.
int be_rank_0(const LaunchEnvironment& environment, const LaunchOptions& options, const StoreAddress& master,
              const Stdout& out) {
  const std::string who = "rank 0: ";
  Result<std::vector<Case>> cases = Error{};
  if (const auto text = text_of(options.cases))
    cases = parse_launched_cases(*text, options.cases == "-" ? "stdin" : options.cases, environment.size);
  else
    cases = text.error();
  const Status writable = check_record(options.record);
  std::unique_ptr<StoreServer> server;
  try {
    if (!environment.agent_serves) server = std::make_unique<StoreServer>(master);
  } catch (const std::runtime_error& error) {
    return told(who,
                fmt::format("the store at {}:{} cannot be served: {}; name a free port in MASTER_PORT", master.host,
                            master.port, error.what()),
                kBadInput);
  }
  LaunchedWorld world(0, environment.size, master, options.timeout, program_text());
  const auto refused = [&](const Error& error) {
    world.announce(kNothingMore);
    world.part();
    return told(who, error.message, kBadInput);
  };
  if (!cases) return refused(cases.error());
  if (!writable) return refused(writable.error());
  const auto code = lead(world, options, *cases, environment.launcher, out);
  return code ? *code : refused(code.error());
}

}  // namespace

int launch(int argument_count, const char* const* arguments) {
  const Stdout out(move_stdout_aside());
  std::string wish;
  const auto options = parse_launch_options(argument_count, arguments, wish);
  if (!wish.empty()) {
    out.line(wish);
    return kNothingAgainst;
  }
  if (!options) return told("", options.error().message, kBadInput);
  const auto environment = launch_environment([](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
  if (!environment) return told("", environment.error().message, kBadInput);
  settle_process();
  // c10d warns on every retry. Suppress that, since the final error is reported once.
  if (!std::getenv("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
  const StoreAddress master{.host = environment->master_host, .port = environment->master_port};
  const std::string who = fmt::format("rank {}: ", environment->rank);
  try {
    if (environment->rank == 0) return be_rank_0(*environment, *options, master, out);
    LaunchedWorld world(environment->rank, environment->size, master, options->timeout, program_text());
    return follow(world);
  } catch (const std::exception& error) {
    return told(who, WorldRuns::what_of(error), kUndecided);
  }
}

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns why a launched world of `size` ranks cannot run the case; "" if it can.
std::string not_for_launch(const Case& c, int size) {
  const int needed = world_size(mesh_of(c.stack));
  if (needed != size)
    return fmt::format("'{}' needs {}, and {} {} launched; launch as many as it needs", print(c), counted(needed, "rank"), size,
                       size == 1 ? "is" : "are");
  if (c.engine != Case{}.engine)
    return fmt::format("'{}' is of the engine {}; launched ranks are of the native engine", print(c), c.engine);
  if (c.settings.arithmetic == Arithmetic::float32)
    return fmt::format(
        "'{}' is run in float32 arithmetic, which compares tensors of several runs, and launched ranks keep none; "
        "`ordercheck run` runs it on one machine",
        print(c));
  return "";
}

}  // namespace

Result<LaunchOptions> parse_launch_options(int count, const char* const* arguments, std::string& wish) {
  LaunchOptions options;
  bool env = false;
  int seconds = static_cast<int>(options.timeout.count());
  CLI::App app(
      "The native engine's worker. Without an argument it speaks the worker protocol; with --env it is one rank of those that "
      "torchrun, mpirun, mpiexec or srun started.",
      "ordercheck-ranks");
  app.add_flag("--env", env, "Be the rank that the launcher's environment says")->required();
  app.add_option("--case", options.cases, "A file with a case a line, - for stdin; read by rank 0")->required();
  app.add_option("--record", options.record, "The file that rank 0 writes, which `ordercheck matrix merge` reads")->required();
  app.add_option("--timeout", seconds, "Seconds for all ranks to come, and for each run")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    wish = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return Error{fmt::format("{}; `ordercheck-ranks --help` lists the options", first_line(error.what()))};
  }
  options.timeout = std::chrono::seconds(seconds);
  return options;
}

Result<std::vector<Case>> parse_launched_cases(const std::string& text, const std::string& path, int size) {
  std::vector<Case> cases;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string written = std::string(trim(line));
    if (written.empty() || written.starts_with('#')) continue;
    const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}:{}: {}", path, number, what)}; };
    const auto parsed = parse_case(written);
    if (!parsed) return wrong(first_line(parsed.error().message));
    Case c = with_usual_arithmetic(*parsed);
    if (const std::string why = not_for_launch(c, size); !why.empty()) return wrong(why);
    if (!cases.empty() && cases.front().settings.arithmetic != c.settings.arithmetic)
      return wrong(fmt::format("'{}' is run in another arithmetic than the cases before it; launch it by itself", print(c)));
    if (!contains(cases, c)) cases.push_back(std::move(c));
  }
  if (cases.empty()) return Error{fmt::format("{}: expected a case a line, as in 'tp=2,fsdp=2', got none", path)};
  return cases;
}

}  // namespace ordercheck::ranks
