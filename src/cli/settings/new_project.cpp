#include "cli/settings/new_project.h"

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kRanksKey = "ranks";  // of `sizes`, as parse_project() reads it

constexpr const char* kHead =
    "# The stacks of this repository: `ordercheck check` checks them, `ordercheck run` runs them.\n"
    "# `ordercheck init` wrote this file and never changes it.\n";

constexpr const char* kExample =
    "#\n"
    "# It found no stack. An example:\n"
    "#\n"
    "# [[stack]]\n"
    "# name = \"pretrain\"\n"
    "# stack = \"tp=2,ac,fsdp=4\"  # the transforms in the order in which they are applied\n"
    "# sizes = { heads = 32, kv_heads = 8, sequence_length = 8192 }\n";

// A TOML basic string. one_line() leaves no control characters.
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : one_line(displayable(text))) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

std::string sizes_of(const Job& job) {
  std::vector<std::string> parts;
  for (const auto& [name, size] : job.sizes) parts.push_back(fmt::format("{} = {}", name, size));
  if (job.ranks) parts.push_back(fmt::format("{} = {}", kRanksKey, *job.ranks));
  return join(parts, ", ");
}

}  // namespace

std::string render_new_project(const std::vector<FoundStack>& stacks) {
  std::string text = kHead;
  if (stacks.empty()) return text + kExample;
  for (const FoundStack& one : stacks) {
    text += '\n';
    for (const std::string& comment : one.comments) text += fmt::format("# {}\n", one_line(displayable(comment)));
    text += fmt::format("[[stack]]\nname = {}\nstack = \"{}\"\n", quoted(one.entry.name), print(one.entry.stack));
    if (!one.entry.target.empty()) text += fmt::format("for = {}\n", quoted(one.entry.target));
    if (const std::string sizes = sizes_of(one.entry.job); !sizes.empty()) text += fmt::format("sizes = {{ {} }}\n", sizes);
  }
  return text;
}

}  // namespace ordercheck
