#include "rules/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood = R"(title = "Verdicts"
[[term]]
name = "differs"
also = ["mismatch"]
meaning = "Not the same."
see = ["equal"]
[[term]]
name = "equal"
meaning = "The same."
)";

std::string error_of_glossary(std::string text) {
  const Result<TermGroup> group = parse_glossary(text, "glossary/verdicts.toml");
  EXPECT_FALSE(group) << "it is read";
  return group ? "" : group.error().message;
}

TEST(ParseGlossary, ReadsAFile) {
  const Result<TermGroup> group = parse_glossary(kGood, "glossary/verdicts.toml");
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->name, "verdicts");
  ASSERT_EQ(group->terms.size(), 2u);
  EXPECT_EQ(group->terms[0].name, "differs");
  EXPECT_THAT(group->terms[0].also, Contains("mismatch"));
  EXPECT_TRUE(group->terms[1].see.empty());
}

TEST(ParseGlossary, NamesFileAndLineOfAMistake) {
  EXPECT_THAT(error_of_glossary("title = \n"), StartsWith("glossary/verdicts.toml:1: "));
  EXPECT_THAT(error_of_glossary("title = \"x\"\n"), HasSubstr("[[term]]"));
  EXPECT_EQ(error_of_glossary("title = \"x\"\n[[term]]\nname = \"a\"\nmeanig = \"b\"\n"),
            "glossary/verdicts.toml:4: unknown key 'meanig' in [[term]]; did you mean 'meaning'?");
  EXPECT_EQ(error_of_glossary(std::string(kGood) + "[[term]]\nname = \"equal\"\nmeaning = \"Again.\"\n"),
            "glossary/verdicts.toml:11: duplicate 'equal' in this group");
}

TEST(ParseGlossary, ReadsWhatATermAsksOfAProgram) {
  const Result<TermGroup> group =
      parse_glossary(std::string(kGood) + "[[term.edit]]\nof = \"ac\"\nvalue = \"absent\"\nin_pytorch = \"leave it out\"\n",
                     "glossary/x.toml");
  ASSERT_TRUE(group) << group.error().message;
  ASSERT_EQ(group->terms[1].edits.size(), 1u);
  EXPECT_EQ(group->terms[1].edits[0].of, "ac");
  EXPECT_EQ(group->terms[1].edits[0].value, "absent");
  EXPECT_EQ(group->terms[1].edits[0].sentence, "leave it out");
  EXPECT_THAT(error_of_glossary(std::string(kGood) + "[[term.edit]]\nof = \"ac\"\n"), HasSubstr("in_pytorch"));
}

TEST(FindTerms, InEveryGroupAndSpelling) {
  const std::vector<TermGroup> groups{*parse_glossary(kGood, "glossary/verdicts.toml"),
                                      *parse_glossary(kGood, "glossary/harms.toml")};
  EXPECT_EQ(find_terms(groups, "Mismatch").size(), 2u);
  EXPECT_EQ(find_terms(groups, "equal").front().group->name, "verdicts");
  EXPECT_TRUE(find_terms(groups, "equals").empty());
  EXPECT_EQ(known_words(groups), (std::vector<std::string>{"differs", "equal", "mismatch"}));
}

TEST(Glossary, IsBuiltIn) { EXPECT_EQ(find_terms(glossary(), "graph break").size(), 1u); }

}  // namespace
}  // namespace ordercheck
