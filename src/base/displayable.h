// Text from outside, for formats that hold no arbitrary bytes.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// The text as any reader shows it and XML and JSON may hold it: a byte that is no UTF-8, a control character other than line break
// and tab, and one that turns the direction of writing are written \xNN or \u{NNNN}.
std::string displayable(std::string_view text);

}  // namespace ordercheck
