// The display of a mistake in a text: one line that says what, then the text with a caret line under the place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// Half-open range of bytes in a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// "<message> at column N<cure>\n  <text>\n  <caret line>". Columns count characters, from 1; a byte that is no UTF-8 shows as \xNN,
// so that the error is valid UTF-8 whatever the text was; a long text is cut around the place.
Error error_at(std::string_view text, Span where, const std::string& message, const std::string& cure = "");

// The word between quotes, made printable as above, cut after 40 characters.
std::string in_quotes(std::string_view word);

}  // namespace ordercheck
