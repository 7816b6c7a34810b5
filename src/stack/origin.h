// Where an item was written, in words.
#pragma once

#include <string>

#include "stack/stack.h"

namespace ordercheck {

// "train.yaml:5"; without a line "command line"; "" where no file is known.
std::string in_words(const Origin& origin);

}  // namespace ordercheck
