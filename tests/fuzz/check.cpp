#include <exception>

#include <fmt/format.h>

#include "base/text.h"
#include "fuzz/formats.h"

namespace ordercheck::fuzz {

std::vector<Format> all_formats() {
  std::vector<Format> all;
  for (const auto& formats : {text_formats(), word_formats(), table_formats(), protocol_formats(), configuration_formats()})
    all.insert(all.end(), formats.begin(), formats.end());
  return all;
}

std::string check(const Format& format, std::string_view bytes) {
  try {
    return format.check_one(bytes);
  } catch (const std::exception& escaped) {
    return fmt::format("an exception escaped: {}", escaped.what());
  } catch (...) {
    return "something that is no exception was thrown";
  }
}

std::string check_message(std::string_view message, std::string_view file) {
  if (trim(message).empty()) return "an error without a message";
  for (const unsigned char c : message)
    if (c < ' ' || c == 0x7f) return fmt::format("a control character {:#x} in the message: {}", c, message);
  if (file.empty()) return "";
  const auto place = fmt::format("{}:", file);
  if (!message.starts_with(place)) return fmt::format("no place '{}' in the message: {}", place, message);
  const std::string_view rest = message.substr(place.size());
  const auto line = parse_integer(rest.substr(0, rest.find(':')));
  if (!line || *line < 1) return fmt::format("no line in the message: {}", message);
  return "";
}

}  // namespace ordercheck::fuzz
