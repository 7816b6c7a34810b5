// Extracts the errors from a log or a pasted traceback.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace ordercheck::cli {

struct LoggedError {
  std::string message;   // "RuntimeError: got mixed torch.Tensor and DTensor", without a launcher's prefix
  std::size_t line = 0;  // 1-based
  std::string frame;     // innermost traceback frame, "torch/distributed/tensor/_dispatch.py:493 in unwrap"; "" if none
};

// Returns the errors in a log, in log order, so that the cause of a chain of exceptions comes first. Errors that differ only
// in numbers (from several ranks) are returned once. Accepts any bytes; keeps at most 1,000 errors and 2,000 bytes of a line.
// If no line looks like an error, returns each of the last lines as an error.
std::vector<LoggedError> errors_in(std::istream& log);

}  // namespace ordercheck::cli
