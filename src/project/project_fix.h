// A stack of the user's file, written anew where it stands: his comments, his order of keys and all other lines stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// `text` with the stack of entry `which` of its [[stack]] written as `stack`. An error where the result would not be read as the same
// file with that stack: nobody's file is left half understood.
Result<std::string> with_stack(std::string_view text, const std::string& path, std::size_t which, const Stack& stack);

}  // namespace ordercheck
