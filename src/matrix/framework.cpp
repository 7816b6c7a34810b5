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

}  // namespace

Result<Framework> parse_framework(std::string_view text, const std::string& path) {
  TomlTable keys(text, path);
  Framework framework{.name = std::filesystem::path(path).stem().string(),
                      .title = keys.text("title"),
                      .project = keys.text("project"),
                      .release = keys.text_if_given("release"),
                      .order = {},
                      .source = keys.text("source"),
                      .url = keys.url_if_given("url"),
                      .date = keys.date_if_given("date"),
                      .says = keys.text("says"),
                      .runs = runs_of(keys)};
  auto order = parse_stack(keys.text("order"));
  if (!order)
    keys.refuse("order", split(order.error().message, '\n').front());
  else
    framework.order = *order;
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
