#include "cli/settings/new_project.h"

#include <algorithm>

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

constexpr const char* kHeadOfDoubts =
    "# A stack in comments is not checked. Look at what its comment names, then remove the '# '.\n";

constexpr const char* kExample =
    "#\n"
    "# It found no stack to check. An example:\n"
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
  const auto is_active = [](const FoundStack& one) { return one.doubts.empty(); };
  std::string text = kHead;
  if (!std::ranges::all_of(stacks, is_active)) text += kHeadOfDoubts;
  if (std::ranges::none_of(stacks, is_active)) text += kExample;
  for (const FoundStack& one : stacks) {
    text += '\n';
    for (const auto* lines : {&one.comments, &one.doubts})
      for (const std::string& line : *lines) text += fmt::format("# {}\n", one_line(displayable(line)));
    const std::string begin = is_active(one) ? "" : "# ";
    text +=
        fmt::format("{0}[[stack]]\n{0}name = {1}\n{0}stack = \"{2}\"\n", begin, quoted(one.entry.name), print(one.entry.stack));
    if (!one.entry.target.empty()) text += fmt::format("{}for = {}\n", begin, quoted(one.entry.target));
    if (const std::string sizes = sizes_of(one.entry.job); !sizes.empty())
      text += fmt::format("{}sizes = {{ {} }}\n", begin, sizes);
  }
  return text;
}

}  // namespace ordercheck
