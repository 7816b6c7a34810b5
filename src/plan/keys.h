// The keys of a TOML file of this room, read with errors that name file and line. Keeps the first error and goes on.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/toml.h"

namespace ordercheck {

class Keys {
 public:
  // Nothing when the text is no TOML; error() tells why.
  Keys(std::string_view text, std::string path);

  std::string text(const std::string& key);
  std::string text_if_given(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::string> texts_if_given(const std::string& key);
  std::vector<int> numbers(const std::string& key);            // each at least 1
  int number_if_given(const std::string& key, int otherwise);  // at least 1
  std::string date_if_given(const std::string& key);           // "2026-02-20"
  std::string url_if_given(const std::string& key);            // begins with https://
  std::vector<Keys> tables(const std::string& key);            // one a [[key]], in order
  void adopt(Keys& part);                                      // once such a table is read: its error counts

  // A value that was read but cannot be meant: the error stands at the key's line, or at its element's.
  void refuse(const std::string& key, const std::string& what);
  void refuse(const std::string& key, std::size_t element, const std::string& what);

  // Called last: a key that nothing asked for is an error too.
  std::optional<Error> error();

 private:
  const toml::node* find(const std::string& key, bool needed);
  const toml::array* array(const std::string& key);
  toml::source_index first_line() const;
  void fail(toml::source_index line, const std::string& what);

  Keys(std::shared_ptr<const toml::table> whole, const toml::table& part, std::string path);

  std::string path_;
  std::shared_ptr<const toml::table> whole_;  // copies of a table forget the lines that they came from
  const toml::table* table_;                  // all of it, or a part
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace ordercheck
