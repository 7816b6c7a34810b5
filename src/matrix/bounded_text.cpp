#include "matrix/bounded_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

void BoundedText::append(std::string_view text) {
  const std::size_t into_head = std::min(text.size(), half_ - head_.size());
  head_ += text.substr(0, into_head);
  tail_ += text.substr(into_head);
  // Erase in large pieces, so that appending byte by byte stays cheap.
  if (tail_.size() > 2 * half_) {
    left_out_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }
}

void BoundedText::clear() {
  head_.clear();
  tail_.clear();
  left_out_ = 0;
}

std::string BoundedText::text() const {
  const std::size_t surplus = tail_.size() > half_ ? tail_.size() - half_ : 0;
  if (left_out_ + surplus == 0) return head_ + tail_;
  return fmt::format("{}\n[{} bytes left out]\n{}", head_, left_out_ + surplus, tail_.substr(surplus));
}

std::string BoundedText::last_lines(int lines) const {
  constexpr std::size_t kLongest = 400;
  std::vector<std::string> last;
  const std::vector<std::string> all = split(tail_.empty() ? head_ : text(), '\n');
  for (auto line = all.rbegin(); line != all.rend() && static_cast<int>(last.size()) < lines; ++line)
    if (!trim(*line).empty()) last.emplace(last.begin(), trim(*line));
  std::string joined = join(last, " | ");
  if (joined.size() > kLongest) joined = "..." + joined.substr(joined.size() - (kLongest - 3));
  for (char& c : joined)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return joined;
}

}  // namespace ordercheck
