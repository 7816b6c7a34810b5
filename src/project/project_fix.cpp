#include "project/project_fix.h"

#include <fmt/format.h>

#include "base/toml.h"
#include "project/project_file.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// Where in the text a place of toml++ is, which counts lines, and characters of UTF-8 in a line, from 1.
std::size_t offset_of(std::string_view text, toml::source_position place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line && at < text.size(); ++line) at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  }
  return at;
}

const toml::node* value_in(const toml::table& whole, std::size_t which) {
  for (const auto part : {whole["stack"], whole["tool"]["ordercheck"]["stack"]})
    if (const toml::node* found = part[which]["stack"].node(); found != nullptr && found->is_string()) return found;
  return nullptr;
}

bool is_same_but_for(const Project& before, const Project& after, std::size_t which, const Stack& stack) {
  if (before.stacks.size() != after.stacks.size() || before.allows.size() != after.allows.size()) return false;
  for (std::size_t at = 0; at < before.stacks.size(); ++at) {
    const ProjectStack &old = before.stacks[at], &made = after.stacks[at];
    if (old.name != made.name || old.line != made.line || made.stack != (at == which ? stack : old.stack)) return false;
  }
  return true;
}

}  // namespace

Result<std::string> with_stack(std::string_view text, const std::string& path, std::size_t which, const Stack& stack) {
  const auto before = parse_project(text, path);
  if (!before) return before.error();
  toml::table whole;
  const toml::node* value = parse_toml(text, whole) ? nullptr : value_in(whole, which);
  if (value == nullptr) return Error{fmt::format("{}: there is no stack {} to write anew", path, which + 1)};
  const std::size_t begin = offset_of(text, value->source().begin), end = offset_of(text, value->source().end);
  // The notation has no character that a basic string escapes.
  std::string made = fmt::format("{}\"{}\"{}", text.substr(0, begin), print(stack), text.substr(end));
  const auto after = parse_project(made, path);
  if (!after || !is_same_but_for(*before, *after, which, stack))
    return Error{fmt::format("{}:{}: stack '{}' could not be written anew; write stack = \"{}\" there", path,
                             before->stacks[which].line, before->stacks[which].name, print(stack))};
  return made;
}

}  // namespace ordercheck
