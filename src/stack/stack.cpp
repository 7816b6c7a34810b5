#include "stack/stack.h"

#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
std::optional<std::string> option_of(const Item& item, const std::string& name) {
  for (const Option& option : item.options)
    if (option.name == name) return option.value;
  return std::nullopt;
}

int count_option(const Item& item, const std::string& name, int otherwise) {
  const auto text = option_of(item, name);
  const auto count = text ? parse_integer(*text) : std::nullopt;
  return count ? static_cast<int>(*count) : otherwise;
}

Stack without_degrees(Stack stack) {
  for (Item& item : stack.items) item.degrees.clear();
  return stack;
}

Scope scope_of(const Item& item) {
  if (item.scope) return *item.scope;
  const TransformInfo* info = find_transform(item.name);
  assert(info != nullptr && "an item names a transform of the catalogue");
  return info->scope;
}

std::string in_words(const Origin& origin) {
  return origin.file.empty() || origin.line == 0 ? origin.file : fmt::format("{}:{}", origin.file, origin.line);
}

}  // namespace ordercheck
