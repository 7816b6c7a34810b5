// The beginning and the end of a text that may be of any length: what a worker wrote to stderr. Not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ordercheck {

class BoundedText {
 public:
  // Keeps at most `bytes`, half of them from the beginning.
  explicit BoundedText(std::size_t bytes) : half_(bytes / 2) {}

  void append(std::string_view text);
  void clear();
  bool empty() const { return head_.empty(); }

  // What is kept; in place of what was left out, a line that says how many bytes.
  std::string text() const;

  // The last lines that are not blank, at most `lines`, joined by " | ", at most 400 bytes, control characters blanked.
  std::string last_lines(int lines) const;

 private:
  std::size_t half_;
  std::string head_;
  std::string tail_;
  std::size_t left_out_ = 0;
};

}  // namespace ordercheck
