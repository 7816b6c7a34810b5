#include "stack/notation.h"

#include <algorithm>
#include <cassert>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/item_parser.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool is_model(std::string_view text) {
  return std::ranges::equal(trim(text), std::string_view("model"),
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// Items between separators, left applied first.
Error too_many_items() {
  return Error{
      fmt::format("a stack has at most {} transforms, this one has more: leave out what is not about the order", kMostItems)};
}

Result<Stack> parse_list(std::string_view text, std::string_view separator) {
  Stack stack;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.size(), text.find(separator, begin));
    Result<Item> item = parse_item(text, {begin, end});
    if (!item) return item.error();
    if (stack.items.size() == kMostItems) return too_many_items();
    stack.items.push_back(*std::move(item));
    if (end == text.size()) return stack;
    begin = end + separator.size();
  }
}

// Outermost is applied last. A loop, not a recursion: a deep text must not end the stack of the program.
Result<Stack> parse_nesting(std::string_view text) {
  Stack stack;
  const bool scope_was_written = text.substr(0, text.find('(')).find('@') != text.npos;
  std::size_t at = 0;
  for (std::size_t open; (open = text.find_first_of("()", at)) != text.npos && text[open] == '('; at = open + 1) {
    Result<Item> item = parse_item(text, {at, open});
    if (!item) return item.error();
    if (stack.items.size() == kMostItems) return too_many_items();
    stack.items.push_back(*std::move(item));
  }
  const std::size_t end = std::min(text.size(), text.find(')', at));
  if (!is_model(text.substr(at, end - at)))
    return error_at(text, {at, end},
                    fmt::format("expected 'model' innermost, got {}", in_quotes(trim(text.substr(at, end - at)))));
  at = end;
  for (std::size_t open = stack.items.size(); open > 0; --open) {
    at = std::min(text.size(), text.find_first_not_of(" \t", at));
    if (at == text.size() || text[at] != ')') return error_at(text, {at, at + 1}, fmt::format("expected {} more ')'", open));
    ++at;
  }
  if (!trim(text.substr(at)).empty()) return error_at(text, {at, text.size()}, "expected nothing more");
  // Around everything is around the model: compile(FSDP(model)) is no compile of each block.
  if (Item& outermost = stack.items.front(); !scope_was_written && info_of(outermost).outermost)
    outermost.scope = info_of(outermost).outermost;
  std::ranges::reverse(stack.items);
  return stack;
}

Result<Stack> parse_any(std::string_view text) {
  if (trim(text).empty() || is_model(text)) return Stack{};
  if (text.find_first_of("()") != text.npos) return parse_nesting(text);
  for (const std::string_view arrow : {"->", "\u2192"})
    if (text.find(arrow) != text.npos) return parse_list(text, arrow);
  return parse_list(text, ",");
}

}  // namespace

Result<Stack> parse_stack(std::string_view text, const Origin& origin) {
  Result<Stack> parsed = parse_any(text);
  if (!parsed) {
    if (origin.file.empty()) return parsed;
    return Error{fmt::format("{}:{}: {}", origin.file, origin.line, parsed.error().message)};
  }
  for (Item& item : parsed->items) item.origin = origin;
  return parsed;
}

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
