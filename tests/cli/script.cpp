#include "cli/script.h"

#include <cstddef>

#include "base/text.h"

namespace ordercheck {
namespace {

bool line_matches(const std::string& expected, const std::string& line) {
  // As glob_match, with `...` for the star: output may hold stars.
  std::size_t at = 0, begin = 0;
  for (bool first = true;; first = false) {
    const std::size_t dots = expected.find("...", begin);
    const std::string part = expected.substr(begin, dots == std::string::npos ? dots : dots - begin);
    if (dots == std::string::npos) {
      if (first) return line == part;
      return line.size() >= at + part.size() && line.ends_with(part);
    }
    const std::size_t found = line.find(part, at);
    if (found == std::string::npos || (first && found != 0)) return false;
    at = found + part.size();
    begin = dots + 3;
  }
}

bool matches_from(const std::vector<std::string>& expected, std::size_t e, const std::vector<std::string>& lines,
                  std::size_t l) {
  if (e == expected.size()) return l == lines.size();
  if (expected[e] == "...") {
    for (std::size_t next = l; next <= lines.size(); ++next)
      if (matches_from(expected, e + 1, lines, next)) return true;
    return false;
  }
  return l < lines.size() && line_matches(expected[e], lines[l]) && matches_from(expected, e + 1, lines, l + 1);
}

}  // namespace

bool lines_match(const std::vector<std::string>& expected, const std::vector<std::string>& lines) {
  return matches_from(expected, 0, lines, 0);
}

Script parse_script(std::string_view text) {
  Script script;
  bool open = false;  // a command whose exit code is still to come
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const auto wrong = [&](const std::string& what) { script.error = "line " + std::to_string(number) + ": " + what; };
    if (line.starts_with("$ ")) {
      if (open) return wrong("the command before has no exit line"), script;
      script.steps.push_back({.line = number, .command = line.substr(2)});
      open = true;
    } else if (open && line.starts_with("exit ")) {
      const auto code = parse_integer(std::string_view(line).substr(5));
      if (!code) return wrong("'" + line + "' has no exit code"), script;
      script.steps.back().exit_code = static_cast<int>(*code);
      open = false;
    } else if (open) {
      script.steps.back().expected.push_back(line);
    } else if (line == "# needs worker") {
      script.needs_worker = true;
    } else if (!line.empty() && !line.starts_with("#")) {
      return wrong("'" + line + "' belongs to no command"), script;
    }
  }
  if (open || script.steps.empty()) script.error = "the last command has no exit line, or there is none";
  return script;
}

}  // namespace ordercheck
