#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {

TomlTable::TomlTable(std::string_view text, std::string path, std::string name, int first_line)
    : path_(std::move(path)), name_(std::move(name)), first_line_(first_line) {
  const auto whole = std::make_shared<toml::table>();
  if (const auto mistake = parse_toml(text, *whole)) fail(mistake->line, mistake->what);
  whole_ = whole;
  table_ = whole_.get();
}

TomlTable::TomlTable(const TomlTable& parent, const toml::table& part, std::string name)
    : path_(parent.path_), name_(std::move(name)), first_line_(parent.first_line_), whole_(parent.whole_), table_(&part) {}

toml::source_index TomlTable::own_line() const { return std::max<toml::source_index>(table_->source().begin.line, 1); }

// The line of the key itself, because its value may begin on a later line.
toml::source_index TomlTable::line_of(const std::string& key) const {
  for (const auto& [name, node] : *table_)
    if (name.str() == key) return std::max<toml::source_index>(name.source().begin.line, 1);
  return own_line();
}

Error TomlTable::error_at(toml::source_index line, const std::string& what) const {
  return Error{fmt::format("{}:{}: {}", path_, first_line_ + static_cast<int>(line) - 1, one_line(what))};
}

void TomlTable::fail(toml::source_index line, const std::string& what) {
  if (!error_) error_ = error_at(line, what);
}

void TomlTable::refuse(const std::string& key, const std::string& what) { fail(line_of(key), what); }

void TomlTable::refuse(const std::string& key, std::size_t element, const std::string& what) {
  const toml::array* list = table_->get_as<toml::array>(key);
  const toml::node* node = list ? list->get(element) : nullptr;
  fail(node ? node->source().begin.line : line_of(key), what);
}

const toml::node* TomlTable::find(const std::string& key, bool needed) {
  if (!contains(asked_, key)) asked_.push_back(key);
  const toml::node* node = table_->get(key);
  if (!node && needed) fail(own_line(), fmt::format("the key '{}' is missing{}", key, name_.empty() ? "" : " in " + name_));
  return node;
}

bool TomlTable::has(const std::string& key) { return find(key, false) != nullptr; }

std::string TomlTable::text(const std::string& key) {
  const std::string text = text_or_blank(key);
  if (has(key) && trim(text).empty()) refuse(key, fmt::format("'{}' is empty", key));
  return text;
}

std::string TomlTable::text_or_blank(const std::string& key) {
  find(key, true);
  return text_if_given(key);
}

std::string TomlTable::text_if_given(const std::string& key) {
  const toml::node* node = find(key, false);
  if (!node) return "";
  if (node->is_string()) return std::string(*node->value<std::string_view>());
  refuse(key, fmt::format("'{}' is no string; write {} = \"...\"", key, key));
  return "";
}

const toml::array* TomlTable::array(const std::string& key) {
  const toml::node* node = find(key, true);
  if (!node) return nullptr;
  if (!node->is_array()) refuse(key, fmt::format("'{}' is no list; write {} = [...]", key, key));
  return node->as_array();
}

std::vector<std::string> TomlTable::words(const std::string& key, bool each_once) {
  std::vector<std::string> values;
  const toml::array* list = array(key);
  if (!list) return values;
  for (const toml::node& node : *list) {
    if (!node.is_string()) {
      fail(node.source().begin.line, fmt::format("an element of '{}' is no string", key));
      continue;
    }
    values.emplace_back(*node.value<std::string_view>());
    if (each_once && std::ranges::count(values, values.back()) > 1)
      fail(node.source().begin.line, fmt::format("duplicate '{}' in '{}'", values.back(), key));
  }
  return values;
}

std::vector<std::string> TomlTable::texts(const std::string& key) { return words(key, true); }

std::vector<std::string> TomlTable::words_if_given(const std::string& key) {
  return has(key) ? words(key, false) : std::vector<std::string>{};
}

std::vector<std::string> TomlTable::texts_if_given(const std::string& key) {
  return has(key) ? texts(key) : std::vector<std::string>{};
}

std::vector<int> TomlTable::numbers(const std::string& key) {
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

std::optional<int> TomlTable::number_if_given(const std::string& key, int least) {
  const toml::node* node = find(key, false);
  if (!node) return std::nullopt;
  const auto number = node->is_integer() ? node->value<int>() : std::nullopt;
  if (number && *number >= least) return number;
  refuse(key, fmt::format("'{}' is no whole number of at least {}", key, least));
  return std::nullopt;
}

std::optional<double> TomlTable::decimal_if_given(const std::string& key, double most, bool or_zero) {
  const toml::node* node = find(key, false);
  if (!node) return std::nullopt;
  const auto number = node->is_number() ? node->value<double>() : std::nullopt;
  if (number && (*number > 0 || (or_zero && *number == 0)) && *number <= most) return number;
  refuse(key, fmt::format("'{}': expected a number {} and at most {:.0f}", key, or_zero ? "from 0" : "above 0", most));
  return std::nullopt;
}

std::string TomlTable::date_if_given(const std::string& key) {
  constexpr std::size_t kDay = 10;
  const toml::node* node = find(key, false);
  if (!node) return "";
  if (const auto* day = node->as_date()) {
    const std::string date = fmt::format("{:04}-{:02}-{:02}", day->get().year, day->get().month, day->get().day);
    if (!is_date(date)) refuse(key, fmt::format("'{}' is {}, a day that there is not", key, date));
    return date;
  }
  if (!node->is_string()) {
    refuse(key, fmt::format("'{}' is no day; write {} = YYYY-MM-DD", key, key));
    return "";
  }
  std::string date(*node->value<std::string_view>());
  if (!is_date(date) || date.size() != kDay) {
    refuse(key, fmt::format("date '{}' is no day that there is, written YYYY-MM-DD", date));
    return "";
  }
  return date;
}

std::string TomlTable::url_if_given(const std::string& key) {
  const std::string url = text_if_given(key);
  if (!url.empty() && !url.starts_with("https://")) refuse(key, fmt::format("url '{}' does not start with https://", url));
  return url;
}

TomlTable TomlTable::table(const std::string& key) {
  static const toml::table none;
  const toml::node* node = find(key, true);
  if (node && !node->is_table()) refuse(key, fmt::format("'{}' is no table; begin it with a line [{}]", key, key));
  return TomlTable(*this, node && node->is_table() ? *node->as_table() : none, fmt::format("[{}]", key));
}

std::vector<TomlTable> TomlTable::tables(const std::string& key) {
  std::vector<TomlTable> parts;
  const toml::node* node = find(key, true);
  if (!node) return parts;
  const toml::array* list = node->as_array();
  if (list)
    for (const toml::node& element : *list)
      if (const toml::table* part = element.as_table()) parts.push_back(TomlTable(*this, *part, fmt::format("[[{}]]", key)));
  if (!list || parts.empty() || parts.size() != list->size())
    refuse(key, fmt::format("'{}' is no list of tables; begin each with a line [[{}]]", key, key));
  return parts;
}

std::vector<TomlTable> TomlTable::tables_if_given(const std::string& key) {
  return has(key) ? tables(key) : std::vector<TomlTable>{};
}

void TomlTable::adopt(TomlTable& part) {
  if (const auto inner = part.error(); inner && !error_) error_ = inner;
}

std::optional<Error> TomlTable::error() {
  // toml++ sorts keys by name, so find the first unknown one by line.
  std::vector<std::pair<toml::source_index, std::string>> unknown;
  for (const auto& [key, node] : *table_)
    if (!contains(asked_, key.str())) unknown.emplace_back(key.source().begin.line, std::string(key.str()));
  if (unknown.empty()) return error_;
  const auto& [line, key] = *std::ranges::min_element(unknown);
  return error_at(line,
                  fmt::format("unknown key '{}'{}; {}", key, name_.empty() ? "" : " in " + name_, did_you_mean(key, asked_)));
}

}  // namespace ordercheck
