#include "engine/home.h"

#include <system_error>

namespace ordercheck {

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

}  // namespace ordercheck
