#include "base/displayable.h"

#include <cstdint>

#include <fmt/format.h>

namespace ordercheck {
namespace {

// How many bytes the character at `at` has, 0 where none begins there; `point` is what it stands for. Overlong forms and
// surrogates are none.
std::size_t character_at(std::string_view text, std::size_t at, std::uint32_t& point) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) {
    point = first;
    return 1;
  }
  const std::size_t length = (first & 0xE0) == 0xC0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  point = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kSmallest[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return 0;
  return length;
}

bool is_shown(std::uint32_t point) {
  if (point == '\n' || point == '\t') return true;
  const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
  const bool turns = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
  const bool no_character = (point & 0xFFFE) == 0xFFFE;
  return !control && !turns && !no_character;
}

}  // namespace

std::string displayable(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t point = 0;
    const std::size_t length = character_at(text, at, point);
    if (length == 0)
      made += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    else if (is_shown(point))
      made += text.substr(at, length);
    else
      made += point < 0x80 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{{{:04x}}}", point);
    at += length == 0 ? 1 : length;
  }
  return made;
}

}  // namespace ordercheck
