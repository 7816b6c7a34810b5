// toml++ 3.3 asserts on some malformed texts, such as a line "[ = 1", and without assertions assumes that they cannot occur.
// Turn its assertions into exceptions, in the one file that compiles its implementation.
#undef NDEBUG

namespace ordercheck {
[[noreturn]] void refuse_toml();
}
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : ordercheck::refuse_toml())
#define TOML_IMPLEMENTATION

#include "base/toml.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ordercheck {
namespace {

struct Refused {};

// The first line with a '[' that no key follows, 1 if none.
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

// The line of the first non-ASCII byte outside strings and comments, 0 if none. TOML forbids it, but toml++ does not report it:
// it enters code that it marks unreachable.
toml::source_index line_beyond_ascii(std::string_view text) {
  toml::source_index line = 1;
  std::string_view closing;  // the delimiter that ends the current string or comment
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') ++line;
    if (!closing.empty()) {
      const bool escaped = closing.front() == '"' && text[at] == '\\';
      if (escaped && at + 1 < text.size() && text[at + 1] != '\n') ++at;
      const bool torn = closing.size() == 1 && text[at] == '\n';  // a line break ends a single-line string, valid or not
      if (!escaped && (torn || text.substr(at).starts_with(closing))) {
        at += torn ? 0 : closing.size() - 1;
        // A multi-line string may end in up to five quotes.
        for (int more = 0; more < 2 && closing.size() == 3 && text.substr(at + 1).starts_with(closing[0]); ++more) ++at;
        closing = {};
      }
    } else if (text[at] == '#') {
      closing = "\n";
      continue;
    } else if (text[at] == '"' || text[at] == '\'') {
      const std::string_view whole = text[at] == '"' ? R"(""")" : "'''";
      closing = text.substr(at).starts_with(whole) ? whole : whole.substr(0, 1);
      at += closing.size() - 1;
    } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
      return line;
    }
  }
  return 0;
}

}  // namespace

void refuse_toml() { throw Refused{}; }

std::optional<TomlMistake> parse_toml(std::string_view text, toml::table& table) {
  const auto last_line = static_cast<toml::source_index>(std::count(text.begin(), text.end(), '\n') + 1);
  if (const auto line = line_beyond_ascii(text); line > 0) return TomlMistake{line, "a character outside ASCII needs quotes"};
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return TomlMistake{std::clamp<toml::source_index>(error.source().begin.line, 1, last_line),
                       std::string(error.description())};
  } catch (const Refused&) {
    return TomlMistake{line_without_key(text), "expected the name of a table after '['"};
  }
  return std::nullopt;
}

}  // namespace ordercheck
