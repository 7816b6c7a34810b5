#include "rule/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

void PageErrors::refuse(toml::source_index line, const std::string& what) {
  if (!first_) first_ = Error{fmt::format("{}:{}: {}", file_, head_line_ + static_cast<int>(line) - 1, one_line(what))};
}

Fields::Fields(const toml::table& table, std::string name, std::vector<std::string> known, PageErrors& errors)
    : table_(table), name_(std::move(name)), errors_(errors) {
  // toml++ sorts keys by name; a reader wants the first mistake of the page.
  std::vector<std::pair<toml::source_index, std::string>> unknown;
  for (const auto& [key, node] : table_)
    if (std::ranges::find(known, key.str()) == known.end())
      unknown.emplace_back(key.source().begin.line, std::string(key.str()));
  std::ranges::sort(unknown);
  for (const auto& [line, key] : unknown) {
    const auto near = nearest(key, known);
    errors_.refuse(line,
                   fmt::format("unknown field '{}' in {}; {}", key, name_,
                               near ? fmt::format("did you mean '{}'?", *near) : fmt::format("known: {}", join(known, ", "))));
  }
}

const toml::node* Fields::need(const std::string& key) {
  const toml::node* node = table_.get(key);
  if (node == nullptr)
    errors_.refuse(std::max<toml::source_index>(table_.source().begin.line, 1),
                   fmt::format("field '{}' is missing in {}", key, name_));
  return node;
}

std::string Fields::text(const std::string& key) {
  const toml::node* node = need(key);
  if (node == nullptr) return "";
  if (!node->is_string()) {
    refuse(key, fmt::format("'{}' is no text; write {} = \"...\"", key, key));
    return "";
  }
  const std::string value(*node->value<std::string_view>());
  if (trim(value).empty()) refuse(key, fmt::format("'{}' is empty", key));
  return value;
}

std::string Fields::text_or_empty(const std::string& key) {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return "";
  if (node->is_string()) return std::string(*node->value<std::string_view>());
  refuse(key, fmt::format("'{}' is no text; write {} = \"...\"", key, key));
  return "";
}

std::vector<std::string> Fields::texts(const std::string& key) {
  const toml::node* node = need(key);
  if (node == nullptr) return {};
  std::vector<std::string> values;
  if (const toml::array* list = node->as_array())
    for (const toml::node& element : *list)
      if (const auto value = element.value_exact<std::string>()) values.push_back(*value);
  if (!node->is_array() || values.size() != node->as_array()->size())
    refuse(key, fmt::format("'{}' is no list of texts; write {} = [\"...\"]", key, key));
  return values;
}

std::optional<int> Fields::number(const std::string& key) {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (value && *value >= 1 && *value <= 1'000'000) return static_cast<int>(*value);
  refuse(key, fmt::format("'{}' is no whole number of at least 1", key));
  return std::nullopt;
}

std::vector<const toml::table*> Fields::tables(const std::string& key) {
  std::vector<const toml::table*> found;
  const toml::node* node = table_.get(key);
  if (node == nullptr) return found;
  if (const toml::array* list = node->as_array())
    for (const toml::node& element : *list)
      if (element.is_table()) found.push_back(element.as_table());
  if (found.empty()) refuse(key, fmt::format("'{}' is no list of tables; begin each with a line [[{}]]", key, key));
  return found;
}

const toml::table* Fields::table(const std::string& key) {
  const toml::node* node = need(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) refuse(key, fmt::format("'{}' is no table; begin it with a line [{}]", key, key));
  return node->as_table();
}

void Fields::refuse(const std::string& key, const std::string& what) {
  toml::source_index line = table_.source().begin.line;
  for (const auto& [name, node] : table_)
    if (name.str() == key) line = name.source().begin.line;
  errors_.refuse(std::max<toml::source_index>(line, 1), what);
}

}  // namespace ordercheck
