// Bytes as they come out of a pipe, and the lines in them. Not thread safe.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }

  // The next whole line without its newline; false when there is none yet.
  bool take(std::string& line) {
    const std::size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return false;
    }
    line.assign(bytes_, taken_, end - taken_);
    taken_ = searched_ = end + 1;
    // Moved down only once half of it is spent: taking many short lines stays linear.
    if (taken_ * 2 >= bytes_.size()) {
      bytes_.erase(0, taken_);
      taken_ = searched_ = 0;
    }
    return true;
  }

  // Bytes that no line was taken from.
  std::size_t size() const { return bytes_.size() - taken_; }
  void clear() { *this = LineBuffer(); }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;
};

}  // namespace ordercheck
