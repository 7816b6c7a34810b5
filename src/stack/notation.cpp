#include "stack/notation.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "stack/item_parser.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool is_model(std::string_view text) {
  return std::ranges::equal(trim(text), std::string_view("model"),
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

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

// Outermost is applied last. A loop, because recursion on a deep text could overflow the call stack.
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
  // An outermost compile means the whole model: compile(FSDP(model)) does not compile each block.
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

// Prints an item without its name: "=2:reshard=never@block".
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
    // Write the scope of an outermost compile: without it, it would parse as a compile of the model.
    if (text.find('(') == text.npos && info->outermost && !item->scope) text += std::string("@") + name_of(info->scope);
    text += "(";
  }
  return text + "model" + std::string(stack.items.size(), ')');
}

namespace {

constexpr std::size_t kBefore = 40, kAfter = 60, kWord = 40;

std::string printable(std::string_view text) { return one_line(displayable(text)); }

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Terminal columns: one per character, not per byte.
std::size_t columns(std::string_view shown) {
  return static_cast<std::size_t>(std::ranges::count_if(shown, [](char c) { return !continues_a_character(c); }));
}

// The nearest index at or before `at` that does not split a UTF-8 character.
std::size_t cut_at(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && continues_a_character(text[at])) --at;
  return at;
}

}  // namespace

Error error_at(std::string_view text, Span where, const std::string& message, const std::string& cure) {
  const std::size_t begin = cut_at(text, std::min(where.begin, text.size()));
  const std::size_t end = std::clamp(where.end, begin, text.size());
  const std::size_t from = cut_at(text, begin > kBefore ? begin - kBefore : 0);
  const std::size_t to = std::max(begin, cut_at(text, std::min(text.size(), begin + kAfter)));

  const std::string before = (from > 0 ? "..." : "") + printable(text.substr(from, begin - from));
  const std::string marked = printable(text.substr(begin, std::min(end, to) - begin));
  const std::string line = before + printable(text.substr(begin, to - begin)) + (to < text.size() ? "..." : "");
  const std::size_t tail = std::max<std::size_t>(1, columns(marked)) - 1;
  const std::size_t column = columns(printable(text.substr(0, begin))) + 1;
  return {fmt::format("{} at column {}{}\n  {}\n  {}^{}", message, column, cure, line, std::string(columns(before), ' '),
                      std::string(tail, '~'))};
}

std::string in_quotes(std::string_view word) {
  const bool cut = word.size() > kWord;
  return "'" + printable(word.substr(0, cut_at(word, std::min(kWord, word.size())))) + (cut ? "..." : "") + "'";
}

namespace {

std::string value_of(const TransformInfo& transform) {
  switch (transform.value) {
    case ValueForm::none: return "";
    case ValueForm::degree: return "=N";
    case ValueForm::degree_pair: return "=NxN";
    case ValueForm::mode: return "[=" + join(transform.modes, "|") + "]";
  }
  assert(false && "a value is of four forms");
  return "";
}

std::string alternatives_of(const TransformInfo& transform, const std::string& group) {
  std::vector<std::string> written;
  for (const OptionInfo& option : transform.options)
    if (option.group == group) written.push_back(":" + syntax_of(option));
  return "[" + join(written, "|") + "]";
}

}  // namespace

std::string syntax_of(const OptionInfo& option) {
  switch (option.form) {
    case OptionForm::flag: return option.name;
    case OptionForm::count: return option.name + "=N";
    case OptionForm::number: return option.name + (option.words.empty() ? "=X" : "=X|" + join(option.words, "|"));
    case OptionForm::word: return option.name + "=" + (option.words.empty() ? "WORD" : join(option.words, "|"));
    case OptionForm::list: return option.name + "=" + (option.words.empty() ? "WORD" : join(option.words, "|")) + "[+...]";
  }
  assert(false && "an option is of five forms");
  return "";
}

std::string syntax_of(const TransformInfo& transform) {
  std::string text = transform.name + value_of(transform);
  std::set<std::string> groups;
  for (const OptionInfo& option : transform.options) {
    if (option.group.empty())
      text += "[:" + syntax_of(option) + "]";
    else if (groups.insert(option.group).second)
      text += alternatives_of(transform, option.group);
  }
  return text;
}

}  // namespace ordercheck
