// What every page owes its reader, and that the template can be loaded page by page.
#include "rules/pages.h"

#include <set>

#include "base/file.h"
#include "base/text.h"

namespace ordercheck {
namespace {

TEST(Pages, ThereAreSomeOfEveryKind) {
  std::set<RuleKind> kinds;
  for (const Rule& rule : pages()) kinds.insert(rule.kind);
  EXPECT_EQ(kinds.size(), all_names<RuleKind>().size());
}

TEST(Pages, IdsAndSlugsAreUnique) {
  std::set<std::string> ids, slugs;
  for (const Rule& rule : pages()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(slugs.insert(rule.slug).second) << rule.slug;
  }
}

TEST(Pages, EveryPageHasACitationThatSupportsIt) {
  for (const Rule& rule : pages()) {
    bool supported = false;
    for (const Citation& cite : rule.citations) supported = supported || cite.says == Stance::supports;
    EXPECT_TRUE(supported) << rule.file;
  }
}

TEST(Pages, KindsMatchFolders) {
  for (const Rule& rule : pages()) EXPECT_EQ(rule.file, "rules/" + std::string(name_of(rule.kind)) + "/" + rule.slug + ".md");
}

// A finding says the first sentence of "Why" on one line; the basis is argued in the section, not asserted in the head.
TEST(Pages, WhyBeginsWithOneSentenceAndArguesTheBasis) {
  for (const Rule& rule : pages()) {
    const std::string reason = reason_of(rule);
    EXPECT_GT(reason.size(), 20u) << rule.file;
    EXPECT_LT(reason.size(), 200u) << rule.file << ": " << reason;
    EXPECT_GT(rule.why.size(), reason.size() + 40) << rule.file << ": nothing after the first sentence";
    EXPECT_NE(rule.why.find(name_of(rule.basis)), std::string::npos) << rule.file << ": the basis is not argued";
  }
}

TEST(Pages, TheTemplateIsAPageOfEveryKind) {
  const Result<std::string> text = read_file(ORDERCHECK_SOURCE_DIR "/rules/TEMPLATE.md");
  ASSERT_TRUE(text) << text.error().message;
  constexpr std::string_view kMark = "<!-- page: ", kEnd = " -->\n";
  std::set<RuleKind> kinds;
  std::vector<std::string> mistakes;
  for (std::size_t at = text->find(kMark); at != text->npos;) {
    const std::size_t name = at + kMark.size(), name_end = text->find(kEnd, name), begin = name_end + kEnd.size();
    ASSERT_NE(name_end, text->npos);
    at = text->find(kMark, begin);
    const std::string file = "rules/" + text->substr(name, name_end - name);
    const Result<Rule> rule = parse_rule(text->substr(begin, at == text->npos ? at : at - begin), file);
    if (rule)
      kinds.insert(rule->kind);
    else
      mistakes.push_back(rule.error().message);
  }
  EXPECT_EQ(join(mistakes, "\n"), "");
  EXPECT_EQ(kinds.size(), all_names<RuleKind>().size());
}

}  // namespace
}  // namespace ordercheck
