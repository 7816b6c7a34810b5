// toml++ 3.3 takes some malformed texts, such as a line "[ = 1", for its own mistake: it asserts, and without assertions it
// assumes that they cannot be. So its assertions are turned into errors, here where its implementation is made.
#undef NDEBUG

namespace ordercheck {
[[noreturn]] void refuse_toml();
}
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : ordercheck::refuse_toml())
#define TOML_IMPLEMENTATION

#include "rule/toml.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ordercheck {
namespace {

struct Refused {};

// The first line that opens a bracket where no key follows; 1 where there is none.
toml::source_index line_without_key(std::string_view text) {
  constexpr std::string_view kKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-\"'";
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    const std::size_t key = line.find_first_not_of("[ \t");
    if (line.starts_with('[') && (key == line.npos || kKey.find(line[key]) == kKey.npos))
      return static_cast<toml::source_index>(i + 1);
  }
  return 1;
}

}  // namespace

void refuse_toml() { throw Refused{}; }

std::optional<TomlMistake> parse_toml(std::string_view text, toml::table& table) {
  const auto last_line = static_cast<toml::source_index>(std::count(text.begin(), text.end(), '\n') + 1);
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return TomlMistake{std::clamp<toml::source_index>(error.source().begin.line, 1, last_line), std::string(error.description())};
  } catch (const Refused&) {
    return TomlMistake{line_without_key(text), "expected the name of a table behind '['"};
  }
  return std::nullopt;
}

}  // namespace ordercheck
