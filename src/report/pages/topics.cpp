#include "report/pages/topics.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::vector<ItemPattern> patterns_of(TomlTable& file, const std::string& key) {
  std::vector<ItemPattern> patterns;
  const std::vector<std::string> texts = file.texts(key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<Pattern> pattern = parse_pattern(texts[i]);
    if (!pattern)
      file.refuse(key, i, split(pattern.error().message, '\n').front());
    else if (pattern->any_of.size() != 1)
      file.refuse(key, i, "expected one transform, got '" + texts[i] + "'");
    else
      patterns.push_back(pattern->any_of.front());
  }
  return patterns;
}

// The first line of what is wrong with it.
Result<Stack> stack_in(const std::string& text) {
  auto stack = parse_stack(text);
  return stack ? stack : Error{split(stack.error().message, '\n').front()};
}

std::vector<std::string> names_in(TomlTable& file, const std::string& key) {
  std::vector<std::string> names;
  for (const ItemPattern& pattern : patterns_of(file, key)) names.push_back(pattern.name);
  return names;
}

std::vector<Stack> stacks_in(TomlTable& file, const std::string& key) {
  std::vector<Stack> stacks;
  const std::vector<std::string> texts = file.texts_if_given(key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<Stack> stack = stack_in(texts[i]);
    if (stack)
      stacks.push_back(*stack);
    else
      file.refuse(key, i, fmt::format("stack '{}': {}", texts[i], stack.error().message));
  }
  return stacks;
}

Point point_in(TomlTable& part) {
  Point point{.order = part.text("order"),
              .said = part.text("said"),
              .turned = stacks_in(part, "turned"),
              .variants = stacks_in(part, "variants"),
              .needs = part.text_if_given("needs"),
              .elsewhere = part.text_if_given("elsewhere")};
  if (point.turned.empty()) part.refuse("turned", "a point needs the stacks of the other order");
  return point;
}

}  // namespace

Result<Topics> parse_topics(std::string_view text, const std::string& path) {
  TomlTable file(text, path);
  Topics topics{.core = names_in(file, "core"),
                .shardings = names_in(file, "shardings"),
                .sections = patterns_of(file, "sections"),
                .sample = file.take("sample", stack_in(file.text("sample"))),
                .points = {}};
  for (TomlTable& part : file.tables_if_given("point")) {
    topics.points.push_back(point_in(part));
    file.adopt(part);
  }
  if (const auto error = file.error()) return *error;
  return topics;
}

Result<Topics> load_topics(const std::filesystem::path& path) {
  const auto text = read_file(path);
  return text ? parse_topics(*text, path.string()) : text.error();
}

}  // namespace ordercheck
