// Escapes untrusted text for formats that do not allow arbitrary bytes.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// Makes text safe for terminals, XML and JSON. Escapes invalid UTF-8, bidirectional overrides and control characters other than
// newline and tab as \xNN or \u{NNNN}.
std::string displayable(std::string_view text);

}  // namespace ordercheck
