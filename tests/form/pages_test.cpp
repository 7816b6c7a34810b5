// Generated pages stay short enough to read, and no link on any page leads nowhere.
#include <cctype>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "form/source_tree.h"

namespace ordercheck::form {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kMostLines = 192;
constexpr std::size_t kMostLinesOfEvidence = 600;
constexpr std::size_t kMostBytes = 16 * 1024;
constexpr std::size_t kLongestRow = 300;
constexpr std::size_t kLongestLine = 164;  // 160 characters; an arrow has three bytes
constexpr std::size_t kFirstScreen = 45;

std::string text_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(OrderingPage, FitsOnAPage) {
  const std::string text = text_of(checkout() / "docs/parallelism_ordering.md");
  EXPECT_LE(lines_of(text).size(), kMostLines);
  EXPECT_LE(text.size(), kMostBytes);
  for (const std::string& line : lines_of(text))
    EXPECT_LE(line.size(), line.starts_with("|") ? kLongestRow : kLongestLine) << line;
}

TEST(OrderingPage, AnswersOnTheFirstScreen) {
  const std::vector<std::string> lines = lines_of(text_of(checkout() / "docs/parallelism_ordering.md"));
  ASSERT_GT(lines.size(), kFirstScreen);
  std::string screen;
  for (std::size_t i = 0; i < kFirstScreen; ++i) screen += lines[i] + "\n";
  for (const char* wanted : {" → ", "```mermaid", "```python", "**May the order be changed?**"})
    EXPECT_THAT(screen, HasSubstr(wanted));
}

TEST(Readme, IsShort) { EXPECT_LE(lines_of(text_of(checkout() / "README.md")).size(), 120u); }

// As GitHub makes an anchor of a heading: small letters, blanks as hyphens, everything else but letters, digits, - and _ gone.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(byte));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_in(const std::string& text) {
  std::set<std::string> anchors;
  for (const std::string& line : lines_of(text))
    if (const auto begin = line.find_first_not_of('#');
        line.starts_with("#") && begin != std::string::npos && line[begin] == ' ')
      anchors.insert(anchor_of(line.substr(begin + 1)));
  return anchors;
}

TEST(EvidencePage, IsShort) { EXPECT_LE(lines_of(text_of(checkout() / "docs/evidence.md")).size(), kMostLinesOfEvidence); }

// Without what stands in fences and code spans, where a bracket is no link.
std::string prose_of(const std::string& text) {
  std::string prose;
  bool in_fence = false;
  for (const std::string& line : lines_of(text)) {
    if (line.find("```") != std::string::npos) in_fence = !in_fence;
    bool in_code = false;
    for (const char c : line) {
      if (c == '`')
        in_code = !in_code;
      else if (!in_fence && !in_code)
        prose += c;
    }
    prose += '\n';
  }
  return prose;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found{checkout() / "README.md", checkout() / "CONTRIBUTING.md", checkout() / "CHANGELOG.md"};
  for (const char* folder : {"docs", "rules", "glossary"})
    for (const auto& entry : fs::recursive_directory_iterator(checkout() / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

TEST(Pages, EveryLinkLeadsSomewhere) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))", std::regex::optimize);
  std::size_t walked = 0;
  for (const fs::path& page : pages()) {
    const std::string prose = prose_of(text_of(page));
    for (std::sregex_iterator at(prose.begin(), prose.end(), kLink), end; at != end; ++at) {
      const std::string link = (*at)[1];
      if (link.starts_with("http")) continue;
      ++walked;
      const auto hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target = file.empty() ? page : page.parent_path() / file;
      ASSERT_TRUE(fs::exists(target)) << page << " links to " << link;
      if (hash != std::string::npos)
        EXPECT_TRUE(anchors_in(text_of(target)).contains(link.substr(hash + 1)))
            << page << " links to " << link << ": there is no such heading";
    }
  }
  EXPECT_GT(walked, 100u);
}

TEST(Changelog, HasTheVersionAndIsShort) {
  const std::string project = text_of(checkout() / "pyproject.toml"), changelog = text_of(checkout() / "CHANGELOG.md");
  std::smatch version;
  ASSERT_TRUE(std::regex_search(project, version, std::regex(R"x(\nversion = "([^"]+)")x")));
  EXPECT_NE(changelog.find("\n## " + version[1].str() + " "), changelog.npos) << "CHANGELOG.md has no " << version[1];
  EXPECT_LE(lines_of(changelog).size(), 60u);
}

TEST(Anchor, IsAsGitHubMakesIt) {
  EXPECT_EQ(anchor_of("How each number was obtained"), "how-each-number-was-obtained");
  EXPECT_EQ(anchor_of("2. Can the order be changed?"), "2-can-the-order-be-changed");
  EXPECT_EQ(anchor_of("With `fsdp`: a"), "with-fsdp-a");
}

}  // namespace
}  // namespace ordercheck::form
