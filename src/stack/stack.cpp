#include "stack/stack.h"

#include <cassert>

#include "stack/transforms.h"

namespace ordercheck {

std::optional<std::string> option_of(const Item& item, const std::string& name) {
  for (const Option& option : item.options)
    if (option.name == name) return option.value;
  return std::nullopt;
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

}  // namespace ordercheck
