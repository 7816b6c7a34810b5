#include "rules/page_text.h"

#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

constexpr std::string_view kBeginBlock = "<!-- begin: ";
constexpr std::string_view kBeginHead = "<!--", kEndHead = "-->";
constexpr std::array<std::string_view, 3> kSections{"What it flags", "Why", "Limits"};

// A numbered line. In a fenced block, '#' is no heading.
struct Line {
  std::string text;
  int number = 1;
  bool fenced = false;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  bool fenced = false;
  for (std::string& written : split(text, '\n')) {
    // Accept CRLF line ends.
    if (written.ends_with('\r')) written.pop_back();
    const bool fence = written.starts_with("```");
    if (fence) fenced = !fenced;
    lines.push_back({std::move(written), static_cast<int>(lines.size()) + 1, fenced || fence});
  }
  return lines;
}

Error at(std::string_view file, int line, const std::string& what) {
  return Error{fmt::format("{}:{}: {}", file, line, one_line(what))};
}

}  // namespace

Result<Page> parse_page(std::string_view text, std::string_view file) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.front().text != kBeginHead)
    return at(file, 1,
              fmt::format("expected a line '{}' that opens the head, got '{}'", kBeginHead, lines.front().text.substr(0, 40)));
  std::size_t next = 1;
  Page page;
  for (; next < lines.size() && lines[next].text != kEndHead; ++next) {
    const std::string& text = lines[next].text;
    if (text.find(kEndHead) != text.npos)  // GitHub would show the rest of the head
      return at(file, lines[next].number, fmt::format("'{}' within the head, which it would end; reword the line", kEndHead));
    page.head += text + "\n";
  }
  if (next == lines.size())
    return at(file, lines.back().number,
              fmt::format("the page ends inside its head: no closing line '{}' (a torn file?)", kEndHead));
  ++next;

  std::vector<std::string*> bodies{&page.flags, &page.why, &page.limits};
  std::vector<int> section_lines;
  std::optional<int> generated;  // line where a generated block begins; nullopt outside of one
  for (; next < lines.size(); ++next) {
    const Line& line = lines[next];
    if (!generated && !line.fenced && line.text.starts_with(kBeginBlock)) generated = line.number;
    if (generated) {
      if (line.text == kEndOfBlock) generated.reset();
      continue;
    }
    if (!line.fenced && line.text.starts_with("# ")) {
      if (!page.title.empty()) return at(file, line.number, "a second title; a page has one line '# <title>'");
      page.title = std::string(trim(line.text.substr(2)));
    } else if (!line.fenced && line.text.starts_with("## ")) {
      const std::string_view name = trim(std::string_view(line.text).substr(3));
      if (page.title.empty()) return at(file, line.number, "a section before the title; expected a line '# <title>'");
      const std::size_t due = section_lines.size();
      if (due == kSections.size()) return at(file, line.number, fmt::format("section '{}' after '## Limits', the last", name));
      if (name != kSections[due])
        return at(file, line.number, fmt::format("expected section '## {}', got '## {}'", kSections[due], name));
      section_lines.push_back(line.number);
    } else if (!section_lines.empty()) {
      *bodies[section_lines.size() - 1] += line.text + "\n";
    } else if (!trim(line.text).empty()) {
      return at(file, line.number,
                page.title.empty() ? "text before the title; expected a line '# <title>'"
                                   : "text between the title and '## What it flags'");
    }
  }
  if (generated)
    return at(file, *generated, fmt::format("the generated block has no line '{}'; add it after the block", kEndOfBlock));
  if (page.title.empty()) return at(file, lines.back().number, "the page ends without a line '# <title>' (a torn file?)");
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    if (i >= section_lines.size())
      return at(file, lines.back().number, fmt::format("the page ends without section '## {}' (a torn file?)", kSections[i]));
    *bodies[i] = std::string(trim(*bodies[i]));
    if (bodies[i]->empty()) return at(file, section_lines[i], fmt::format("section '## {}' is empty", kSections[i]));
  }
  return page;
}

}  // namespace ordercheck
