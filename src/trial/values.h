// Tensors that an engine kept in files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "parity/record.h"

namespace ordercheck {

// A file of raw little-endian float64.
Result<std::vector<double>> read_values(const std::string& path);

// What to say of two files that should hold as many numbers.
std::string unlike_sizes(const TraceEntry& expected, std::size_t owed, const TraceEntry& got, std::size_t seen);

}  // namespace ordercheck
