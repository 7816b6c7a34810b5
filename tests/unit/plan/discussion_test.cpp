#include "plan/discussion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rule/load.h"
#include "stack/notation.h"
#include "unit/rule/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const std::string kText = R"(title = "a discussion"
url = "https://example.org/a-discussion"

[[point]]
id = "tp-ac"
title = "Point tp-ac"
by = "somebody"
date = "2025-08-13"
says = "one sentence"
first = "tp"
then = "ac"
basis_said = ""
rules = [
  "ORD-901",
]
stacks = ["tp=2,ac",
          "ac,tp=2"]
answer = "an answer"

[[point]]
id = "other"
title = "Point other"
by = "somebody"
date = "2025-08-14"
says = "another"
first = ""
then = ""
basis_said = "fundamental"
rules = []
stacks = []
answer = "none"
)";

std::string error_of(const std::string& from, const std::string& to) {
  std::string text = kText;
  text.replace(text.find(from), from.size(), to);
  const auto discussion = parse_discussion(text, "discussions/one.toml", sample_rules());
  return discussion ? "no error" : discussion.error().message;
}

TEST(Discussion, HoldsItsPointsInOrder) {
  const auto discussion = parse_discussion(kText, "discussions/one.toml", sample_rules());
  ASSERT_TRUE(discussion) << discussion.error().message;
  EXPECT_EQ(discussion->name, "one");
  ASSERT_EQ(discussion->points.size(), 2u);
  EXPECT_EQ(discussion->points[0].id, "tp-ac");
  EXPECT_EQ(print(discussion->points[0].stacks.at(1)), "ac,tp=2");
  EXPECT_EQ(discussion->points[0].rules, (std::vector<std::string>{"ORD-901"}));
  EXPECT_TRUE(discussion->points[1].stacks.empty());
}

TEST(Discussion, APointMayHaveAReasonInOneLine) {
  const auto rules = sample_rules();
  std::string text = kText;
  const std::string answer = "answer = \"an answer\"\n";
  text.insert(text.find(answer), "why = \"one reason\"\n");
  const auto with_why = parse_discussion(text, "discussions/one.toml", rules);
  ASSERT_TRUE(with_why) << with_why.error().message;
  EXPECT_EQ(with_why->points.at(0).why, "one reason");
  EXPECT_EQ(with_why->points.at(1).why, "");
}

TEST(Discussion, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("ORD-901", "ORD-999"), HasSubstr("discussions/one.toml:14: there is no rule 'ORD-999'"));
  EXPECT_THAT(error_of("\"ac,tp=2\"", "\"ac,tq=2\""),
              HasSubstr("discussions/one.toml:17: stack 'ac,tq=2': unknown transform 'tq'"));
  EXPECT_THAT(error_of("first = \"tp\"", "first = \"fsdb\""),
              HasSubstr("discussions/one.toml:10: unknown transform 'fsdb'; did you mean 'fsdp'?"));
  EXPECT_THAT(error_of("2025-08-14", "14.8.2025"), HasSubstr("discussions/one.toml:24: date '14.8.2025'"));
  EXPECT_THAT(error_of("id = \"other\"", "id = \"tp-ac\""), HasSubstr("discussions/one.toml:21: the id 'tp-ac' stands twice"));
  EXPECT_THAT(error_of("answer = \"none\"", ""),
              HasSubstr("discussions/one.toml:20: the key 'answer' is missing in [[point]]"));
  EXPECT_THAT(error_of("answer = \"none\"", "anwser = \"none\""),
              HasSubstr("discussions/one.toml:31: unknown key 'anwser' in [[point]]; did you mean 'answer'?"));
  EXPECT_THAT(error_of("answer = \"none\"", "answer = \"none\"\nmore = 1"),
              HasSubstr("discussions/one.toml:32: unknown key 'more' in [[point]]"));
  EXPECT_THAT(error_of("url = \"https:", "url = \"http:"), HasSubstr("discussions/one.toml:2: url "));
  EXPECT_THAT(error_of("says = \"another\"", "says = \" \""), HasSubstr("discussions/one.toml:25: 'says' is empty"));
  EXPECT_EQ(error_of("", ""), "no error");
}

TEST(Discussion, NeedsAPoint) {
  const auto none = parse_discussion("title = \"t\"\nurl = \"https://x\"\n", "t.toml", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "t.toml:1: the key 'point' is missing");
  const auto text = parse_discussion("title = \"t\"\nurl = \"https://x\"\npoint = 3\n", "t.toml", {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "t.toml:3: 'point' is no list of tables; begin each with a line [[point]]");
}

TEST(Discussion, AllInTheRepositoryAreRead) {
  const auto rules = load_rules(ORDERCHECK_SOURCE_DIR "/rules");
  ASSERT_TRUE(rules) << rules.error().message;
  const auto discussions = load_discussions(ORDERCHECK_SOURCE_DIR "/matrix/discussions", *rules);
  EXPECT_TRUE(discussions) << discussions.error().message;
}

TEST(Discussion, AFolderThatIsNotThereHoldsNone) {
  const auto discussions = load_discussions(ORDERCHECK_SOURCE_DIR "/matrix/no-such-folder", {});
  ASSERT_TRUE(discussions);
  EXPECT_TRUE(discussions->empty());
}

}  // namespace
}  // namespace ordercheck
