#include "plan/error_classes.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {

Result<std::vector<ErrorClass>> parse_error_classes(std::string_view text, const std::string& path) {
  TomlTable keys(text, path);
  std::vector<ErrorClass> classes;
  for (TomlTable& one : keys.tables("class")) {
    const ErrorClass read{.id = one.text("id"), .what = one.text("what"), .shown_by = one.text_if_given("shown_by")};
    if (std::ranges::find(classes, read.id, &ErrorClass::id) != classes.end())
      one.refuse("id", fmt::format("'{}' stands twice", read.id));
    classes.push_back(read);
    keys.adopt(one);
  }
  if (auto error = keys.error()) return *error;
  return classes;
}

Result<std::vector<ErrorClass>> load_error_classes(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_error_classes(*text, path.string());
}

}  // namespace ordercheck
