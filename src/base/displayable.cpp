#include "base/displayable.h"

#include <cstdint>

#include <fmt/format.h>
#include <utf8cpp/utf8.h>

namespace ordercheck {
namespace {

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
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const char* const begin = at;
    try {
      const std::uint32_t point = utf8::next(at, text.data() + text.size());
      if (is_shown(point))
        made.append(begin, at);
      else
        made += point < 0x80 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{{{:04x}}}", point);
    } catch (const utf8::exception&) {  // invalid UTF-8: escape one byte and go on
      made += fmt::format("\\x{:02x}", static_cast<unsigned char>(*begin));
      at = begin + 1;
    }
  }
  return made;
}

}  // namespace ordercheck
