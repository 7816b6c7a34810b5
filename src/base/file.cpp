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
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number < 0) return failure("write beside", path);

  // mkostemp makes files with mode 0600. Keep the old file's mode, or apply the umask to a new one.
  struct stat old{};
  const bool existed = ::stat(path.c_str(), &old) == 0;
  mode_t mode = old.st_mode & 07777;
  if (!existed) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  if (::fchmod(file.number, mode) != 0 || !write_all(file.number, contents) || ::fsync(file.number) != 0 ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = failure("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return Done{};
}

}  // namespace ordercheck
