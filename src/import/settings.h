// Represents another project's configuration file as a flat list of settings with their lines. All syntaxes share it, so the
// readers of projects' keys are independent of the syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// The type of a setting's value. table: an empty table; others become one setting per key. A list of tables has no elements;
// its contents are ignored.
ORDERCHECK_ENUM(SettingForm, nothing, flag, whole, number, word, list, table)

struct Setting {
  std::string key;  // with the names of the enclosing tables: "fsdp_config.fsdp_version"
  SettingForm form = SettingForm::nothing;
  std::string text;                   // "true" or "false" for a flag, else as written, without quotes
  std::vector<std::string> elements;  // for a list of scalars
  Origin where;
  friend bool operator==(const Setting& a, const Setting& b) {
    return a.key == b.key && a.form == b.form && a.text == b.text && a.elements == b.elements && a.where.file == b.where.file &&
           a.where.line == b.where.line;
  }
};

// In file order.
using SettingList = std::vector<Setting>;

// "fsdp_config.fsdp_version: 2", shortened to fit a line.
std::string in_words(const Setting& setting);

// Limits on the input, which may come from anyone.
inline constexpr std::size_t kLargestImport = std::size_t{8} << 20;
inline constexpr std::size_t kMostSettings = 50'000;
inline constexpr std::size_t kLongestKey = 500;  // with the names of the enclosing tables
inline constexpr int kDeepestImport = 64;

// Returns the text without a byte order mark. Returns an error if it is too large, holds a NUL byte or is not UTF-8.
Result<std::string_view> checked_text(std::string_view text, const std::string& file);

// "<file>:<line>: <what>", on one line.
Error error_at(const std::string& file, int line, const std::string& what);

// Returns the settings, or an error if a key is repeated: projects treat repeated keys differently.
Result<SettingList> without_repeats(SettingList settings);

}  // namespace ordercheck
