// Reads TOML files with errors that name file and line.
#pragma once

// toml.cpp compiles the one implementation.
#define TOML_HEADER_ONLY 0
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "base/result.h"

namespace ordercheck {

struct TomlMistake {
  toml::source_index line = 1;
  std::string what;
};

// Parses any bytes to a table or a mistake. Leaves `table` empty on a mistake. Move the table: its copies lose their line
// numbers.
std::optional<TomlMistake> parse_toml(std::string_view text, toml::table& table);

// Reads one table of a file by its keys. Keeps the first error and goes on with empty values, so that callers need no check per
// key. A key that no call asked for is an error.
class TomlTable {
 public:
  // Parses a whole file. After a syntax error the table is empty and error() reports it.
  // - name: how errors name the table, "" to leave it out
  // - first_line: line of the file at which `text` begins
  TomlTable(std::string_view text, std::string path, std::string name = "", int first_line = 1);

  bool has(const std::string& key);
  std::string text(const std::string& key);                // required, not blank
  std::string text_or_blank(const std::string& key);       // required
  std::string text_if_given(const std::string& key);       // "" if absent
  std::vector<std::string> texts(const std::string& key);  // no duplicates
  std::vector<std::string> texts_if_given(const std::string& key);
  std::vector<std::string> words_if_given(const std::string& key);  // a command line: duplicates are allowed
  std::vector<int> numbers(const std::string& key);                 // each at least 1
  std::optional<int> number_if_given(const std::string& key, int least = 1);
  std::optional<double> decimal_if_given(const std::string& key, double most, bool or_zero = false);  // above 0, at most `most`
  std::string date_if_given(const std::string& key);               // a day, quoted or not: "2026-02-20"
  std::string url_if_given(const std::string& key);                // must begin with https://
  TomlTable table(const std::string& key);                         // [key]
  std::vector<TomlTable> tables(const std::string& key);           // one per [[key]], in order
  std::vector<TomlTable> tables_if_given(const std::string& key);  // empty if absent
  void adopt(TomlTable& part);                                     // takes over the error of a table that was read

  // Reports an invalid value at the line of the key or of its element.
  void refuse(const std::string& key, const std::string& what);
  void refuse(const std::string& key, std::size_t element, const std::string& what);

  // Returns the parsed value, or reports its error at the key's line and returns an empty one.
  template <class T>
  T take(const std::string& key, Result<T> parsed) {
    if (parsed) return std::move(parsed).value();
    refuse(key, parsed.error().message);
    return T{};
  }

  // Call this last. Unknown keys are reported before other errors: such a key is often a misspelt required one.
  std::optional<Error> error();

 private:
  TomlTable(const TomlTable& parent, const toml::table& part, std::string name);

  const toml::node* find(const std::string& key, bool needed);
  const toml::array* array(const std::string& key);
  std::vector<std::string> words(const std::string& key, bool each_once);
  toml::source_index own_line() const;
  toml::source_index line_of(const std::string& key) const;
  Error error_at(toml::source_index line, const std::string& what) const;
  void fail(toml::source_index line, const std::string& what);

  std::string path_;
  std::string name_;
  int first_line_;
  std::shared_ptr<const toml::table> whole_;  // keeps line numbers, which a copied table loses
  const toml::table* table_;                  // the whole file or a part of it
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace ordercheck
