// TOML files of this project, read with errors that name file and line.
#pragma once

// One implementation for all, made in toml.cpp.
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

// Whatever bytes it is given, it ends in a table or a mistake. Fills `table`; leaves it empty where the text is no TOML. Nodes
// of a copy of it have lost their lines: move it.
std::optional<TomlMistake> parse_toml(std::string_view text, toml::table& table);

// One table of a file and its keys. Keeps the first error and goes on with empty values, so that a reader needs no branch a
// key. The keys that it was asked for are those that it knows: any other is an error.
class TomlTable {
 public:
  // The whole of a file. Empty when the text is no TOML; error() tells why. `name` is how errors call it, "" for nothing;
  // `first_line` is where in the file the text begins.
  TomlTable(std::string_view text, std::string path, std::string name = "", int first_line = 1);

  bool has(const std::string& key);
  std::string text(const std::string& key);                // must be there, and not blank
  std::string text_or_blank(const std::string& key);       // must be there
  std::string text_if_given(const std::string& key);       // "" when it is not there
  std::vector<std::string> texts(const std::string& key);  // each once
  std::vector<std::string> texts_if_given(const std::string& key);
  std::vector<std::string> words_if_given(const std::string& key);  // as a command line: one may stand in it twice
  std::vector<int> numbers(const std::string& key);                 // each at least 1
  std::optional<int> number_if_given(const std::string& key, int least = 1);
  std::string date_if_given(const std::string& key);               // a day, quoted or not: "2026-02-20"
  std::string url_if_given(const std::string& key);                // begins with https://
  TomlTable table(const std::string& key);                         // [key]
  std::vector<TomlTable> tables(const std::string& key);           // one a [[key]], in order
  std::vector<TomlTable> tables_if_given(const std::string& key);  // none when it is not there
  void adopt(TomlTable& part);                                     // once such a table is read: its error counts

  // A value that was read but cannot be meant: the error stands at the key's line, or at its element's.
  void refuse(const std::string& key, const std::string& what);
  void refuse(const std::string& key, std::size_t element, const std::string& what);

  // The value, or an error at the key's line and an empty one.
  template <class T>
  T take(const std::string& key, Result<T> parsed) {
    if (parsed) return std::move(parsed).value();
    refuse(key, parsed.error().message);
    return T{};
  }

  // Called last. A key that nothing asked for goes before every other error: it is often the one that is missing, misspelt.
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
  std::shared_ptr<const toml::table> whole_;  // copies of a table forget the lines that they came from
  const toml::table* table_;                  // all of it, or a part
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace ordercheck
