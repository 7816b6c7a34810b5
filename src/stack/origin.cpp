#include "stack/origin.h"

#include <fmt/format.h>

namespace ordercheck {

std::string in_words(const Origin& origin) {
  return origin.file.empty() || origin.line == 0 ? origin.file : fmt::format("{}:{}", origin.file, origin.line);
}

}  // namespace ordercheck
