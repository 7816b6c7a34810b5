#include "plan/keys.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

}  // namespace

Keys::Keys(std::string_view text, std::string path) : path_(std::move(path)) {
  const auto whole = std::make_shared<toml::table>();
  if (const auto mistake = parse_toml(text, *whole)) fail(mistake->line, mistake->what);
  whole_ = whole;
  table_ = whole_.get();
}

Keys::Keys(std::shared_ptr<const toml::table> whole, const toml::table& part, std::string path)
    : path_(std::move(path)), whole_(std::move(whole)), table_(&part) {}

toml::source_index Keys::first_line() const { return std::max<toml::source_index>(table_->source().begin.line, 1); }

void Keys::fail(toml::source_index line, const std::string& what) {
  if (!error_) error_ = Error{fmt::format("{}:{}: {}", path_, line, one_line(what))};
}

const toml::node* Keys::find(const std::string& key, bool needed) {
  asked_.push_back(key);
  const toml::node* node = table_->get(key);
  if (!node && needed) fail(first_line(), fmt::format("the key '{}' is missing", key));
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
  if (table_->contains(key)) return text(key);
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

std::vector<std::string> Keys::texts_if_given(const std::string& key) {
  if (table_->contains(key)) return texts(key);
  asked_.push_back(key);
  return {};
}

int Keys::number_if_given(const std::string& key, int otherwise) {
  const toml::node* node = find(key, false);
  if (!node) return otherwise;
  const auto number = node->is_integer() ? node->value<int>() : std::nullopt;
  if (number && *number >= 1) return *number;
  fail(node->source().begin.line, fmt::format("'{}' is no whole number of at least 1", key));
  return otherwise;
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

std::string Keys::date_if_given(const std::string& key) {
  const std::string date = text_if_given(key);
  if (!date.empty() && !is_date(date)) refuse(key, fmt::format("date '{}' is not written YYYY-MM-DD", date));
  return date;
}

std::string Keys::url_if_given(const std::string& key) {
  const std::string url = text_if_given(key);
  if (!url.empty() && !url.starts_with("https://")) refuse(key, fmt::format("url '{}' does not start with https://", url));
  return url;
}

std::vector<Keys> Keys::tables(const std::string& key) {
  std::vector<Keys> parts;
  const toml::node* node = find(key, true);
  if (!node) return parts;
  if (const toml::array* list = node->as_array())
    for (const toml::node& element : *list)
      if (const toml::table* part = element.as_table()) parts.push_back(Keys(whole_, *part, path_));
  if (!node->is_array() || parts.empty() || parts.size() != node->as_array()->size())
    fail(node->source().begin.line, fmt::format("'{}' is no list of tables; begin each with a line [[{}]]", key, key));
  return parts;
}

void Keys::adopt(Keys& part) {
  if (const auto inner = part.error(); inner && !error_) error_ = inner;
}

void Keys::refuse(const std::string& key, std::size_t element, const std::string& what) {
  const toml::array* list = table_->get_as<toml::array>(key);
  const toml::node* node = list ? list->get(element) : nullptr;
  if (node) return fail(node->source().begin.line, what);
  refuse(key, what);
}

void Keys::refuse(const std::string& key, const std::string& what) {
  const toml::node* node = table_->get(key);
  fail(node ? node->source().begin.line : first_line(), what);
}

std::optional<Error> Keys::error() {
  std::vector<std::string> known = asked_;
  for (const auto& [key, node] : *table_) {
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
