#include "import/toml_settings.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/toml.h"

namespace ordercheck {
namespace {

struct TomlSettings {
  const std::string& file;
  SettingList settings = {};
  std::optional<Error> error = {};

  void refuse(int line, const std::string& what) {
    if (!error) error = error_at(file, line, what);
  }

  static std::string text_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    std::ostringstream shown;
    node.visit([&](const auto& one) {
      if constexpr (!toml::is_table<decltype(one)> && !toml::is_array<decltype(one)>) shown << one;
    });
    return shown.str();
  }

  static SettingForm form_of(const toml::node& node) {
    if (node.is_boolean()) return SettingForm::flag;
    if (node.is_integer()) return SettingForm::whole;
    return node.is_floating_point() ? SettingForm::number : SettingForm::word;
  }

  void read(const toml::table& table, const std::string& path, int depth) {
    for (const auto& [name, node] : table) {
      const int line = std::max(1, static_cast<int>(name.source().begin.line));
      const std::string key = path + std::string(name.str());
      if (key.size() > kLongestKey)
        return refuse(line, fmt::format("a key of more than {} characters; expected a configuration", kLongestKey));
      if (settings.size() >= kMostSettings)
        return refuse(line, fmt::format("more than {} values; expected a configuration", kMostSettings));
      if (depth >= kDeepestImport) return refuse(line, fmt::format("nested deeper than {} levels", kDeepestImport));
      if (const toml::table* inner = node.as_table(); inner && !inner->empty()) {
        read(*inner, key + ".", depth + 1);
        continue;
      }
      Setting setting{.key = key, .form = SettingForm::table, .text = "", .elements = {}, .where = {file, line}};
      if (const toml::array* list = node.as_array()) {
        setting.form = SettingForm::list;
        for (const toml::node& element : *list)
          if (element.is_value()) setting.elements.push_back(text_of(element));
      } else if (!node.is_table()) {
        setting.form = form_of(node);
        setting.text = text_of(node);
      }
      settings.push_back(std::move(setting));
    }
  }
};

}  // namespace

Result<SettingList> read_toml(std::string_view text, const std::string& file) {
  const auto checked = checked_text(text, file);
  if (!checked) return checked.error();
  toml::table whole;
  if (const auto mistake = parse_toml(*checked, whole))
    return error_at(file, static_cast<int>(mistake->line), fmt::format("no TOML: {}", mistake->what));
  TomlSettings reader{.file = file};
  reader.read(whole, "", 0);
  if (reader.error) return *reader.error;
  // toml++ sorts keys by name: restore the order of the file.
  std::ranges::stable_sort(reader.settings, {}, [](const Setting& setting) { return setting.where.line; });
  return without_repeats(std::move(reader.settings));
}

}  // namespace ordercheck
