#include "engine/engine_spec.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

// Empty counts as unset.
std::string environment_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<fs::path> find_native_worker() {
  if (const std::string named = environment_of("ORDERCHECK_WORKER"); !named.empty()) {
    if (is_program(named)) return fs::path(named);
    return Error{"native worker: ORDERCHECK_WORKER names " + named + ", which is no program; unset it or correct it"};
  }
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error{"native worker: cannot tell where this program is: " + failed.message()};
  const fs::path beside = self.parent_path() / "ordercheck-ranks";
  if (is_program(beside)) return beside;
  return Error{"native worker: LibTorch/rank wing missing: expected " + beside.string() +
               "; build it with scripts/ordercheck, or name one in ORDERCHECK_WORKER"};
}

Result<EngineSpec> native_engine() {
  Result<fs::path> worker = find_native_worker();
  if (!worker) return worker.error();
  // Ranks are threads: a pool of OpenMP threads behind each would only take turns.
  return EngineSpec{.name = "native", .command = {worker->string()}, .environment = {"OMP_NUM_THREADS=1"}};
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

}  // namespace ordercheck
