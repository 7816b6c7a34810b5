#include "report/pages/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

// CommonMark requires a fence longer than any run of backticks inside.
std::string code(std::string_view text) {
  if (text.empty()) return "";
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  const std::string pad = text.front() == '`' || text.back() == '`' ? " " : "";
  return fence + pad + std::string(text) + pad + fence;
}

namespace {

constexpr std::size_t kFitsWhole = 31;  // characters of code that fit next to the other columns of a page of 1012 px

std::string with_breaks_behind(std::string_view text, std::string_view marks) {
  std::string made;
  for (const char c : text) {
    made += c;
    if (marks.find(c) != std::string_view::npos) made += "<wbr>";
  }
  return made;
}

}  // namespace

std::string breakable_code(std::string_view stack) {
  if (stack.size() <= kFitsWhole) return code(stack);
  std::string made, line;
  for (const std::string& item : split(stack, ',')) {
    if (!line.empty() && line.size() + item.size() > kFitsWhole) {
      made += line + "<wbr>";
      line.clear();
    }
    line += (item.size() > kFitsWhole ? with_breaks_behind(item, ":+") : item) + ",";
  }
  line.pop_back();
  return fmt::format("<code>{}{}</code>", made, line);
}

std::string breakable(std::string_view text) {
  constexpr std::size_t kLongWord = 16;
  std::vector<std::string> words = split(text, ' ');
  for (std::string& word : words)
    if (word.size() > kLongWord && word.find("](") == word.npos && word.find('`') == word.npos)
      word = with_breaks_behind(word, ",:/");
  return join(words, " ");
}

std::string thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ' ');
  return digits;
}

std::string shortened(std::string_view text, std::size_t at_most) {
  if (text.size() <= at_most) return std::string(text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (at_most > 0 && continues(text[at_most])) --at_most;
  return std::string(text.substr(0, at_most)) + " ...";
}

std::string cell(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '|') made += '\\';
    made += c == '\n' || c == '\r' ? ' ' : c;
  }
  return made;
}

std::string in_lines(std::string_view text, std::string_view indent) {
  constexpr std::size_t kLongestLine = 160;
  std::string lines;
  std::size_t line = 0;
  for (const std::string& word : split(text, ' ')) {
    if (line > 0 && line + 1 + word.size() > kLongestLine) {
      lines += fmt::format("\n{}{}", indent, word);
      line = indent.size() + word.size();
      continue;
    }
    lines += (line > 0 ? " " : "") + word;
    line += (line > 0 ? 1 : 0) + word.size();
  }
  return lines;
}

std::string link_to(const Rule& rule) { return fmt::format("[{}](../{})", rule.id, rule.file); }

namespace {

std::string date_in_words(const Citation& citation) { return citation.date == "unknown" ? "date unknown" : citation.date; }

}  // namespace

std::string cited(const Citation& citation) {
  return fmt::format("[{}]({}), {}", short_name(citation), citation.url, date_in_words(citation));
}

std::string source_in_words(const Citation& citation) {
  return fmt::format("{}, {}", short_name(citation), date_in_words(citation));
}

}  // namespace ordercheck
