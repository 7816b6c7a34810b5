// What people call a transform that the notation has another name for.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// For a word in small letters that names no transform: "did you mean 'ac'?", what to write instead, or the names there are.
std::string instead_of(std::string_view word);

}  // namespace ordercheck
