#include "import/settings.h"

#include <map>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestShown = 60;

// The length in bytes of the first character; 0 if it is not valid UTF-8.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool none = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return overlong || none ? 0 : length;
}

std::string shortened(std::string text) {
  if (text.size() <= kLongestShown) return text;
  text.resize(kLongestShown);
  return text + "...";
}

}  // namespace

std::string in_words(const Setting& setting) {
  const std::string value = setting.form == SettingForm::nothing ? "null"
                            : setting.form == SettingForm::list  ? fmt::format("[{}]", join(setting.elements, ", "))
                            : setting.form == SettingForm::table ? "{}"
                                                                 : setting.text;
  return one_line(displayable(fmt::format("{}: {}", shortened(setting.key), shortened(value))));
}

Result<std::string_view> checked_text(std::string_view text, const std::string& file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.size() > kLargestImport)
    return error_at(file, 1, fmt::format("{} bytes; expected a configuration of at most {}", text.size(), kLargestImport));
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0') return error_at(file, line, "a NUL byte; expected a text file");
    if (text[at] == '\n') ++line;
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return error_at(file, line, "a byte that is no UTF-8; expected a text file");
    at += length;
  }
  return text;
}

Error error_at(const std::string& file, int line, const std::string& what) {
  return Error{fmt::format("{}:{}: {}", file, line, one_line(displayable(what)))};
}

Result<SettingList> without_repeats(SettingList settings) {
  std::map<std::string_view, int> lines;
  for (const Setting& setting : settings)
    if (const auto [at, is_new] = lines.emplace(setting.key, setting.where.line); !is_new)
      return error_at(setting.where.file, setting.where.line,
                      fmt::format("duplicate key '{}', first in line {}; remove one", shortened(setting.key), at->second));
  return settings;
}

}  // namespace ordercheck
