// The errors that a log or a pasted traceback holds.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace ordercheck::cli {

struct LoggedError {
  std::string message;   // "RuntimeError: got mixed torch.Tensor and DTensor", without what a launcher puts before it
  std::size_t line = 0;  // of the log, from 1
  std::string frame;     // the deepest of its traceback, "torch/distributed/tensor/_dispatch.py:493 in unwrap"; "" for none
};

// Each error once, however many ranks say it with other numbers in it; in the order of the log, so that of a chain of exceptions the
// cause comes first. Reads any bytes of any length line by line, keeps at most 1,000 errors, and 2,000 bytes of a line. A log
// without any line that looks like an error gives its last lines, one error each.
std::vector<LoggedError> errors_in(std::istream& log);

}  // namespace ordercheck::cli
