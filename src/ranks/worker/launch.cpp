#include "ranks/worker/launch.h"

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

#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "protocol/messages.h"
#include "ranks/comm/launched_world.h"
#include "ranks/train/run_case.h"
#include "ranks/worker/launch_environment.h"
#include "ranks/worker/launch_options.h"
#include "ranks/worker/launched_case.h"
#include "ranks/worker/process_settings.h"

namespace ordercheck::ranks {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingAgainst = 0, kDecidedAgainst = 1, kBadInput = 2, kUndecided = 3;
constexpr const char* kNothingMore = "";  // announced last

int told(const std::string& who, const std::string& what, int code) {
  std::cerr << fmt::format("ordercheck-ranks: {}{}\n", who, one_line(what));
  return code;
}

// Of the program and what it runs on: two hosts that have different ones run different things.
std::string program_text() {
  const auto program = read_file("/proc/self/exe");
  return fmt::format("{}, program {}", join(versions_in({.world = WorldKind::gloo}), ", "),
                     program ? hex(hash_of(*program)) : "unreadable");
}

// One world, and whether this process still has it: what a run throws of the world is not to be taken for a failure of its case.
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

  // Why nothing more can be run.
  const std::optional<std::string>& gone() const { return gone_; }

  static std::string what_of(const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    return of_torch ? of_torch->what_without_backtrace() : error.what();
  }

 private:
  LaunchedWorld& world_;
  std::optional<std::string> gone_;
};

// A case that was not run, since the world was over before.
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

// Before anything is run: a launch is not to end at a folder that is not there.
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

// Undecided weighs more than decided: the case is to be run again.
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

// Rank 0 finds out what is wrong with the input before the others wait for it in vain: they are told that there is nothing.
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
  // What c10d warns of while it tries again is told once, by whoever gives up.
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

}  // namespace ordercheck::ranks
