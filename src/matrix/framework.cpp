#include "matrix/framework.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::vector<Case> runs_of(TomlTable& keys) {
  std::vector<Case> runs;
  for (const std::string& text : keys.texts_if_given("runs")) {
    auto c = parse_case(text);
    if (c)
      runs.push_back(*c);
    else
      keys.refuse("runs", split(c.error().message, '\n').front());
  }
  return runs;
}

Stack order_of(TomlTable& keys) {
  auto order = parse_stack(keys.text("order"));
  if (order) return *order;
  keys.refuse("order", split(order.error().message, '\n').front());
  return {};
}

// Whether `part` has only transforms of `order`, in the same order.
bool is_part_of(const Stack& part, const Stack& order) {
  auto at = order.items.begin();
  for (const Item& item : part.items) {
    at = std::find_if(at, order.items.end(), [&](const Item& one) { return print(one) == print(item); });
    if (at == order.items.end()) return false;
    ++at;
  }
  return true;
}

RecordedFramework recorded_in(TomlTable keys, TomlTable& file, const Stack& order) {
  RecordedFramework recorded{.job = keys.text("job"),
                             .ranks = keys.number_if_given("ranks").value_or(1),
                             .with = keys.text("with"),
                             .release = keys.text("release"),
                             .date = keys.date_if_given("date"),
                             .order = order_of(keys),
                             .places = keys.text("places")};
  if (!is_part_of(recorded.order, order))
    keys.refuse("order", fmt::format("'{}' contradicts the project's order '{}'; expected the same order, or a part of it",
                                     print(recorded.order), print(order)));
  file.adopt(keys);
  return recorded;
}

}  // namespace

Result<Framework> parse_framework(std::string_view text, const std::string& path) {
  TomlTable keys(text, path);
  Framework framework{.name = std::filesystem::path(path).stem().string(),
                      .title = keys.text("title"),
                      .project = keys.text("project"),
                      .release = keys.text_if_given("release"),
                      .order = order_of(keys),
                      .source = keys.text("source"),
                      .url = keys.url_if_given("url"),
                      .date = keys.date_if_given("date"),
                      .says = keys.text("says"),
                      .runs = runs_of(keys)};
  if (keys.has("recorded")) framework.recorded = recorded_in(keys.table("recorded"), keys, framework.order);
  if (auto error = keys.error()) return *error;
  return framework;
}

Result<std::vector<Framework>> load_frameworks(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  if (error) return Error{fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
  std::ranges::sort(paths);
  std::vector<Framework> frameworks;
  for (const auto& path : paths) {
    auto text = read_file(path);
    if (!text) return text.error();
    auto framework = parse_framework(*text, path.string());
    if (!framework) return framework.error();
    frameworks.push_back(*framework);
  }
  return frameworks;
}

Stack project(const Stack& order, const std::vector<std::string>& buildable, std::vector<std::string>& left_out) {
  Stack projected;
  for (const Item& item : order.items) {
    if (std::ranges::find(buildable, item.name) != buildable.end())
      projected.items.push_back(item);
    else
      left_out.push_back(print(item));
  }
  return projected;
}

}  // namespace ordercheck
