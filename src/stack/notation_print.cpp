#include <cassert>

#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// All of an item behind its name.
std::string print_rest(const Item& item) {
  std::string text;
  for (std::size_t i = 0; i < item.degrees.size(); ++i) {
    text += i == 0 ? '=' : 'x';
    text += std::to_string(item.degrees[i].value);
  }
  if (!item.mode.empty()) text += "=" + item.mode;
  for (const Option& option : item.options) {
    text += ":" + option.name;
    if (!option.value.empty()) text += "=" + option.value;
  }
  if (item.scope) text += std::string("@") + name_of(*item.scope);
  return text;
}

}  // namespace

std::string print(const Item& item) { return item.name + print_rest(item); }

std::string print(const Stack& stack) {
  std::string text;
  for (const Item& item : stack.items) {
    if (!text.empty()) text += ',';
    text += print(item);
  }
  return text;
}

std::string print_nested(const Stack& stack) {
  std::string text;
  for (auto item = stack.items.rbegin(); item != stack.items.rend(); ++item) {
    const TransformInfo* info = find_transform(item->name);
    assert(info != nullptr && "an item names a transform of the catalogue");
    text += info->nested + print_rest(*item);
    // Without its scope it would be read as one of the model.
    if (text.find('(') == text.npos && info->outermost && !item->scope) text += std::string("@") + name_of(info->scope);
    text += "(";
  }
  return text + "model" + std::string(stack.items.size(), ')');
}

}  // namespace ordercheck
