// Keeps the beginning and the end of a text of any length, such as the stderr of a worker. Not thread safe.
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

  // The kept text; a line with the number of dropped bytes replaces the middle.
  std::string text() const;

  // The last non-blank lines, at most `lines`, joined by " | " and cut to 400 bytes. Control characters become spaces.
  std::string last_lines(int lines) const;

 private:
  std::size_t half_;
  std::string head_;
  std::string tail_;
  std::size_t left_out_ = 0;
};

}  // namespace ordercheck
