// An item's option as a number.
#pragma once

#include <charconv>
#include <string>

#include "stack/notation.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

// The catalogue checked its form; `otherwise` where the item does not say.
inline int count_option(const Item& item, const std::string& name, int otherwise) {
  const auto text = option_of(item, name);
  if (!text) return otherwise;
  int count = 0;
  std::from_chars(text->data(), text->data() + text->size(), count);
  return count;
}

}  // namespace ordercheck::ranks
