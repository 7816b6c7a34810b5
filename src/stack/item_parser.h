// Parses one item of a stack, standing somewhere in a longer text that error displays show whole.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/notation.h"
#include "stack/stack.h"

namespace ordercheck {

// The item in `where` of `text`, blanks around it skipped. Every error ends in a caret display of `text`.
Result<Item> parse_item(std::string_view text, Span where);

// What people call a transform that the notation has another name for.

// For a word in small letters that names no transform: "did you mean 'ac'?", what to write instead, or the names there are.
std::string instead_of(std::string_view word);

}  // namespace ordercheck
