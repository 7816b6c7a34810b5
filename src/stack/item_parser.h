// Parses one item of a stack inside a longer text; errors display the whole text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/notation.h"
#include "stack/stack.h"

namespace ordercheck {

// Parses the item in `where` of `text` and skips blanks around it. Every error ends in a caret display of `text`.
Result<Item> parse_item(std::string_view text, Span where);

// The hint in the error for an unknown transform name, given in lower case: "did you mean 'ac'?", what to write instead, or
// all names.
std::string instead_of(std::string_view word);

}  // namespace ordercheck
