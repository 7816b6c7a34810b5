#include "matrix/engine_spec.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "matrix/pytorch_engine.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// The program in ORDERCHECK_WORKER, else the one next to this program.
Result<fs::path> find_beside(const EngineFile& engine) {
  if (const std::string named = named_worker(); !named.empty()) {
    if (is_program(named)) return fs::path(named);
    return Error{
        fmt::format("{} worker: ORDERCHECK_WORKER names {}, which is no program; unset it or correct it", engine.name, named)};
  }
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error{fmt::format("{} worker: cannot tell where this program is: {}", engine.name, failed.message())};
  const fs::path beside = self.parent_path() / engine.built_beside;
  if (is_program(beside)) return beside;
  if (!is_in_checkout())
    return Error{fmt::format(
        "{} engine: not in this installation, which was built without LibTorch; a checkout builds it, and `ordercheck "
        "--version` lists the engines that are here",
        engine.name)};
  return Error{fmt::format(
      "{} engine: its worker is not built: expected {}; build it with scripts/ordercheck, or name one in ORDERCHECK_WORKER",
      engine.name, beside.string())};
}

}  // namespace

std::string called(const EngineSpec& spec) { return spec.name.empty() ? "engine" : "engine " + spec.name; }

std::string environment_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string named_worker() { return environment_of("ORDERCHECK_WORKER"); }

bool has_worker(const EngineFile& engine) {
  return !named_worker().empty() || is_program(own_program().parent_path() / engine.built_beside);
}

Result<EngineSpec> engine_spec(const EngineFile& engine, const std::string& python) {
  EngineSpec spec{.name = engine.name,
                  .command = engine.command,
                  .environment = engine.environment,
                  .slow_start = engine.slow_start,
                  .build = "",
                  .timeout = engine.timeout,
                  .threads = engine.threads};
  if (!engine.interpreter.empty()) return in_interpreter(std::move(spec), engine.project, python);
  if (engine.built_beside.empty()) return spec;
  const auto worker = find_beside(engine);
  if (!worker) return worker.error();
  spec.command = {worker->string()};
  return spec;
}

Result<fs::path> cache_folder() {
  if (const std::string cache = environment_of("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "ordercheck";
  if (const std::string home = environment_of("HOME"); !home.empty()) return fs::path(home) / ".cache" / "ordercheck";
  return Error{"cache folder: expected HOME or XDG_CACHE_HOME in the environment, got neither; set one of them"};
}

Status check_writable(const fs::path& folder) {
  const auto wrong = [&](const std::string& what, const std::string& why) {
    return Error{"folder " + folder.string() + ": " + what + ": " + why};
  };
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return wrong("cannot create it", failed.message());
  std::string probe = (folder / ".writable-XXXXXX").string();
  const int file = mkstemp(probe.data());
  if (file < 0) return wrong("cannot write in it", std::strerror(errno));
  close(file);
  unlink(probe.c_str());
  return Done{};
}

namespace fs = std::filesystem;

fs::path own_program() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed);
}

std::optional<fs::path> home_of(const fs::path& path) {
  std::error_code failed;
  for (fs::path above = own_program().parent_path(); !above.empty(); above = above.parent_path()) {
    for (const fs::path& home : {above, above / "share" / "ordercheck"})
      if (fs::exists(home / path, failed)) return home;
    if (above == above.root_path()) break;
  }
  return std::nullopt;
}

bool is_in_checkout() {
  std::error_code failed;
  const auto home = home_of(fs::path("rules") / "TEMPLATE.md");
  return home && fs::exists(*home / "scripts" / "ordercheck", failed);
}

}  // namespace ordercheck
