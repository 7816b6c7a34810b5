// A configuration file of another project as a flat list: each value under its key, with the line that states it. What the syntaxes
// share, so that a reader of a project's keys knows none of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// table: one without keys. What stands in a list of tables is not looked at: the list has no elements then.
ORDERCHECK_ENUM(SettingForm, nothing, flag, whole, number, word, list, table)

struct Setting {
  std::string key;  // with the names of the tables around it: "fsdp_config.fsdp_version"
  SettingForm form = SettingForm::nothing;
  std::string text;                   // of a flag "true" or "false", else as it stands there, without quotes
  std::vector<std::string> elements;  // of a list of scalars
  Origin where;
  friend bool operator==(const Setting& a, const Setting& b) {
    return a.key == b.key && a.form == b.form && a.text == b.text && a.elements == b.elements && a.where.file == b.where.file &&
           a.where.line == b.where.line;
  }
};

// In the order of the file.
using SettingList = std::vector<Setting>;

// "fsdp_config.fsdp_version: 2", short enough for a line.
std::string in_words(const Setting& setting);

// Bounds of what is read of a file that anybody may have written.
inline constexpr std::size_t kLargestImport = std::size_t{8} << 20;
inline constexpr std::size_t kMostSettings = 50'000;
inline constexpr std::size_t kLongestKey = 500;  // with the names of the tables around it
inline constexpr int kDeepestImport = 64;

// The text without a byte order mark; an error where it is too large, holds a NUL byte or is no UTF-8.
Result<std::string_view> checked_text(std::string_view text, const std::string& file);

// "<file>:<line>: <what>", on one line.
Error error_at(const std::string& file, int line, const std::string& what);

// The settings; an error where a key stands twice, which projects read in ways of their own.
Result<SettingList> without_repeats(SettingList settings);

}  // namespace ordercheck
