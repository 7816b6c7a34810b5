// The fields of one TOML table of a rule page, read with errors that name file and line. Keeps the first error and goes
// on with empty values, so that a reader of fields needs no branch a field.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "rule/toml.h"

namespace ordercheck {

// Where errors of one page go: the first one stays.
class PageErrors {
 public:
  PageErrors(std::string file, int head_line) : file_(std::move(file)), head_line_(head_line) {}

  // `line` counts in the head, 1 is its first line.
  void refuse(toml::source_index line, const std::string& what);
  const std::optional<Error>& first() const { return first_; }

 private:
  std::string file_;
  int head_line_;
  std::optional<Error> first_;
};

// One table: the head, [witness], one of [[cite]] or [[expect]]. `known` lists its fields; others are refused at once.
class Fields {
 public:
  Fields(const toml::table& table, std::string name, std::vector<std::string> known, PageErrors& errors);

  bool has(const std::string& key) const { return table_.contains(key); }
  std::string text(const std::string& key);                // must be there, and not empty
  std::string text_or_empty(const std::string& key);       // "" when it is not there
  std::vector<std::string> texts(const std::string& key);  // must be there
  std::optional<int> number(const std::string& key);       // at least 1, when it is there
  std::vector<const toml::table*> tables(const std::string& key);
  const toml::table* table(const std::string& key);  // must be there

  // An error at a field's line.
  void refuse(const std::string& key, const std::string& what);

  // The value, or an error at the field's line and an empty one.
  template <class T>
  T take(const std::string& key, Result<T> parsed) {
    if (parsed) return std::move(parsed).value();
    refuse(key, parsed.error().message);
    return T{};
  }

 private:
  const toml::node* need(const std::string& key);

  const toml::table& table_;
  std::string name_;
  PageErrors& errors_;
};

}  // namespace ordercheck
