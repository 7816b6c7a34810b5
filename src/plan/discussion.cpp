#include "plan/discussion.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "rule/load.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

std::string transform(TomlTable& keys, const std::string& key) {
  const std::string name = keys.text_or_blank(key);
  if (name.empty() || find_transform(name) != nullptr) return name;
  keys.refuse(key, fmt::format("unknown transform '{}'; {}", name, did_you_mean(name, names_in(transforms()))));
  return name;
}

DiscussionPoint point_of(TomlTable& keys, const std::vector<Rule>& rules) {
  DiscussionPoint point{.id = keys.text("id"),
                        .title = keys.text("title"),
                        .by = keys.text("by"),
                        .date = keys.date_if_given("date"),
                        .says = keys.text("says"),
                        .first = transform(keys, "first"),
                        .then = transform(keys, "then"),
                        .basis_said = keys.text_or_blank("basis_said"),
                        .rules = keys.texts("rules"),
                        .stacks = {},
                        .answer = keys.text("answer"),
                        .why = keys.text_if_given("why")};
  if (point.date.empty()) keys.refuse("date", "a point needs the 'date' of the statement, written YYYY-MM-DD");
  for (std::size_t i = 0; i < point.rules.size(); ++i) {
    const Rule* rule = find_rule(rules, point.rules[i]);
    if (rule == nullptr || rule->id != point.rules[i])
      keys.refuse("rules", i, fmt::format("there is no rule '{}'; `ordercheck rules` lists all", point.rules[i]));
  }
  const std::vector<std::string> texts = keys.texts("stacks");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto stack = parse_stack(texts[i]);
    if (!stack)
      keys.refuse("stacks", i, fmt::format("stack '{}': {}", texts[i], split(stack.error().message, '\n').front()));
    else
      point.stacks.push_back(*stack);
  }
  return point;
}

}  // namespace

Result<Discussion> parse_discussion(std::string_view text, const std::string& path, const std::vector<Rule>& rules) {
  TomlTable keys(text, path);
  Discussion discussion{.name = std::filesystem::path(path).stem().string(),
                        .title = keys.text("title"),
                        .url = keys.url_if_given("url"),
                        .points = {}};
  if (discussion.url.empty()) keys.refuse("url", "a discussion needs its 'url'");
  for (TomlTable& part : keys.tables("point")) {
    discussion.points.push_back(point_of(part, rules));
    if (std::ranges::count(discussion.points, discussion.points.back().id, &DiscussionPoint::id) > 1)
      part.refuse("id", fmt::format("the id '{}' stands twice", discussion.points.back().id));
    keys.adopt(part);
  }
  if (auto error = keys.error()) return *error;
  return discussion;
}

Result<std::vector<Discussion>> load_discussions(const std::filesystem::path& folder, const std::vector<Rule>& rules) {
  std::vector<Discussion> discussions;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return discussions;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  if (error) return Error{fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    const auto text = read_file(path);
    if (!text) return text.error();
    auto discussion = parse_discussion(*text, path.string(), rules);
    if (!discussion) return discussion.error();
    discussions.push_back(std::move(discussion).value());
  }
  return discussions;
}

}  // namespace ordercheck
