#include "protocol/built.h"

#include <algorithm>

#include "base/text.h"

namespace ordercheck {
namespace {

constexpr const char* kEveryOption = "*";

// "" where the option is built with this value.
std::string unbuilt_option(const Option& option, const std::vector<BuiltOption>& built) {
  const auto found =
      std::ranges::find_if(built, [&](const BuiltOption& one) { return one.name == option.name || one.name == kEveryOption; });
  if (found == built.end()) return option.name;
  const auto is_built = [&](const std::string& value) { return contains(found->values, value); };
  if (found->values.empty() || std::ranges::all_of(split(option.value, '+'), is_built)) return "";
  return option.name + "=" + option.value;
}

bool restricts(const std::vector<std::string>& built, const std::string& asked) {
  return !built.empty() && !contains(built, asked);
}

}  // namespace

const BuiltTransform* find_built(const std::vector<BuiltTransform>& built, const std::string& name) {
  const auto found = std::ranges::find(built, name, &BuiltTransform::name);
  return found == built.end() ? nullptr : &*found;
}

std::string unbuilt_part(const Item& item, const std::vector<BuiltTransform>& built) {
  const BuiltTransform* transform = find_built(built, item.name);
  if (transform == nullptr) return item.name;
  if (restricts(transform->modes, item.mode)) return item.name + "=" + item.mode;
  for (const Option& option : item.options)
    if (const std::string part = unbuilt_option(option, transform->options); !part.empty()) return item.name + ":" + part;
  const std::string scope = name_of(scope_of(item));
  return restricts(transform->scopes, scope) ? item.name + "@" + scope : "";
}

std::vector<std::string> unbuilt_parts(const Stack& stack, const std::vector<BuiltTransform>& built) {
  std::vector<std::string> parts;
  for (const Item& item : stack.items)
    if (const std::string part = unbuilt_part(item, built); !part.empty() && !contains(parts, part)) parts.push_back(part);
  return parts;
}

}  // namespace ordercheck
