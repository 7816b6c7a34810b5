#include "trial/values.h"

#include <cstring>

#include <fmt/format.h>

#include "base/file.h"

namespace ordercheck {

Result<std::vector<double>> read_values(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->size() % sizeof(double) != 0)
    return Error{fmt::format("{} holds {} bytes, which is no whole number of float64", path, bytes->size())};
  std::vector<double> values(bytes->size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes->data(), bytes->size());  // of an empty one there is no address
  return values;
}

std::string unlike_sizes(const TraceEntry& expected, std::size_t owed, const TraceEntry& got, std::size_t seen) {
  return fmt::format("{} holds {} numbers and {} holds {}; both are {} of step {}", expected.file, owed, got.file, seen,
                     got.module, got.step);
}

}  // namespace ordercheck
