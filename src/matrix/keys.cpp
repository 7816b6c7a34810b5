#include "matrix/keys.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

Keys::Keys(std::string_view text, std::string path) : path_(std::move(path)) {
  try {
    table_ = toml::parse(text);
  } catch (const toml::parse_error& e) {
    fail(e.source().begin.line, std::string(e.description()));
  }
}

void Keys::fail(toml::source_index line, const std::string& what) {
  if (!error_) error_ = Error{fmt::format("{}:{}: {}", path_, line, what)};
}

const toml::node* Keys::find(const std::string& key, bool needed) {
  asked_.push_back(key);
  const toml::node* node = table_.get(key);
  if (!node && needed) fail(1, fmt::format("the key '{}' is missing", key));
  return node;
}

std::string Keys::text(const std::string& key) {
  const toml::node* node = find(key, true);
  if (!node) return "";
  if (!node->is_string()) {
    fail(node->source().begin.line, fmt::format("'{}' is no string; write {} = \"...\"", key, key));
    return "";
  }
  return std::string(*node->value<std::string_view>());
}

std::string Keys::text_if_given(const std::string& key) {
  if (table_.contains(key)) return text(key);
  asked_.push_back(key);
  return "";
}

const toml::array* Keys::array(const std::string& key) {
  const toml::node* node = find(key, true);
  if (!node) return nullptr;
  if (!node->is_array()) {
    fail(node->source().begin.line, fmt::format("'{}' is no list; write {} = [...]", key, key));
    return nullptr;
  }
  return node->as_array();
}

std::vector<std::string> Keys::texts(const std::string& key) {
  std::vector<std::string> values;
  const toml::array* list = array(key);
  if (!list) return values;
  for (const toml::node& node : *list) {
    if (!node.is_string()) {
      fail(node.source().begin.line, fmt::format("an element of '{}' is no string", key));
      continue;
    }
    values.emplace_back(*node.value<std::string_view>());
    if (std::count(values.begin(), values.end(), values.back()) > 1)
      fail(node.source().begin.line, fmt::format("'{}' stands twice in '{}'", values.back(), key));
  }
  return values;
}

std::vector<int> Keys::numbers(const std::string& key) {
  std::vector<int> values;
  const toml::array* list = array(key);
  if (!list) return values;
  for (const toml::node& node : *list) {
    const auto number = node.is_integer() ? node.value<int>() : std::nullopt;
    if (!number || *number < 1)
      fail(node.source().begin.line, fmt::format("an element of '{}' is no whole number of at least 1", key));
    else
      values.push_back(*number);
  }
  return values;
}

void Keys::refuse(const std::string& key, const std::string& what) {
  const toml::node* node = table_.get(key);
  fail(node ? node->source().begin.line : 1, what);
}

std::optional<Error> Keys::error() {
  std::vector<std::string> known = asked_;
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const auto meant = nearest(name, known);
    fail(key.source().begin.line,
         fmt::format("unknown key '{}'; {}", name,
                     meant ? fmt::format("did you mean '{}'?", *meant) : "expected " + join(known, ", ")));
  }
  return error_;
}

}  // namespace ordercheck
