#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace ordercheck {
namespace {

struct Descriptor {
  int number = -1;
  explicit Descriptor(int n) : number(n) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Error failure(const char* what, const std::filesystem::path& path) {
  return {fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno))};
}

bool write_all(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The mode of a new file under the umask.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Writes and syncs a new file in the folder of `path`, and returns its path. `mode`: of the file, which mkostemp makes 0600.
Result<std::string> write_beside(const std::filesystem::path& path, std::string_view contents, mode_t mode) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number < 0) return failure("write beside", path);
  if (::fchmod(file.number, mode) == 0 && write_all(file.number, contents) && ::fsync(file.number) == 0) return temporary;
  const Error error = failure("write", path);
  ::unlink(temporary.c_str());
  return error;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) return failure("read", path);
  std::string contents;
  struct stat now{};
  if (::fstat(file.number, &now) == 0) contents.reserve(static_cast<std::size_t>(now.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.number, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", path);
    if (got == 0) return contents;
    contents.append(buffer, static_cast<std::size_t>(got));
  }
}

Status replace_file(const std::filesystem::path& path, std::string_view contents) {
  // Keep the old file's mode.
  struct stat old{};
  const bool existed = ::stat(path.c_str(), &old) == 0;
  const auto temporary = write_beside(path, contents, existed ? old.st_mode & 07777 : usual_mode());
  if (!temporary) return temporary.error();
  if (::rename(temporary->c_str(), path.c_str()) == 0) return Done{};
  const Error error = failure("write", path);
  ::unlink(temporary->c_str());
  return error;
}

Status create_file(const std::filesystem::path& path, std::string_view contents) {
  const auto temporary = write_beside(path, contents, usual_mode());
  if (!temporary) return temporary.error();
  // rename() would replace a file that another process created in between.
  const Status done = ::link(temporary->c_str(), path.c_str()) == 0 ? Status(Done{}) : Status(failure("create", path));
  ::unlink(temporary->c_str());
  return done;
}

}  // namespace ordercheck
