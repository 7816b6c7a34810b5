#include "rule/facts.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/rule/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const std::string kText = R"(# facts
[[fact]]
name = "tp-before-fsdp"
says = "Tensor parallelism goes before FSDP."
source = "https://example.org/order#L7"
date = "2025-08"
pages = ["ORD-901"]

[[fact]]
name = "no-nans"
says = "Numbers are watched."
source = "https://example.org/nans"
date = "unknown"
refused = "Watching numbers orders nothing."
)";

Pages sample_pages() {
  Rule retired = sample_commuting_rule();
  retired.id = "COM-902";
  return {.rules = sample_rules(), .retired = {retired}};
}

Result<std::vector<Fact>> with(const std::string& from, const std::string& to) {
  std::string text = kText;
  text.replace(text.find(from), from.size(), to);
  return parse_facts(text, "facts/one.toml", sample_pages());
}

std::string error_of(const std::string& from, const std::string& to) {
  const auto facts = with(from, to);
  return facts ? "no error" : facts.error().message;
}

TEST(Facts, AreReadInOrder) {
  const auto facts = parse_facts(kText, "facts/one.toml", sample_pages());
  ASSERT_TRUE(facts) << facts.error().message;
  const std::vector<Fact> expected{{.name = "tp-before-fsdp",
                                    .says = "Tensor parallelism goes before FSDP.",
                                    .source = "https://example.org/order#L7",
                                    .date = "2025-08",
                                    .pages = {"ORD-901"},
                                    .refused = ""},
                                   {.name = "no-nans",
                                    .says = "Numbers are watched.",
                                    .source = "https://example.org/nans",
                                    .date = "unknown",
                                    .pages = {},
                                    .refused = "Watching numbers orders nothing."}};
  EXPECT_EQ(*facts, expected);
}

TEST(Facts, NameAPageThatMakesTheClaim) {
  EXPECT_EQ(error_of("ORD-901", "ORD-999"), "facts/one.toml:7: there is no page 'ORD-999'; `ordercheck rules` lists all");
  EXPECT_EQ(error_of("ORD-901", "COM-902"),
            "facts/one.toml:7: page 'COM-902' is retired and claims nothing; give `refused` in its place");
  EXPECT_TRUE(with("ORD-901", "COM-901"));
}

TEST(Facts, HavePagesOrAReasonAndNotBoth) {
  const std::string wanted = "a fact has `pages` that claim it, or `refused` with the reason why none does: one of the two";
  EXPECT_THAT(error_of("pages = [\"ORD-901\"]\n", ""), HasSubstr(wanted));
  EXPECT_THAT(error_of("pages = [\"ORD-901\"]\n", "pages = []\n"), HasSubstr(wanted));
  EXPECT_THAT(error_of("pages = [\"ORD-901\"]\n", "pages = [\"ORD-901\"]\nrefused = \"It is a size, and no order.\"\n"),
              HasSubstr(wanted));
}

TEST(Facts, AreSentencesWithASourceAndADate) {
  EXPECT_EQ(error_of("Watching numbers orders nothing.", "no order"),
            "facts/one.toml:14: refused is a reason of one sentence on one line, which ends in '.'");
  EXPECT_EQ(error_of("Numbers are watched.", "Numbers are watched"),
            "facts/one.toml:11: says is one sentence on one line, which ends in '.'");
  EXPECT_EQ(error_of("\"unknown\"", "\"soon\""),
            "facts/one.toml:13: date = \"soon\" is none; write 2025-08-13, 2025-08, 2025 or \"unknown\"");
  EXPECT_THAT(error_of("source = \"https://example.org/nans\"\n", ""), HasSubstr("a fact needs its 'source', a URL"));
  EXPECT_THAT(error_of("https://example.org/nans", "arguments.py:432"), HasSubstr("facts/one.toml:12: "));
  EXPECT_THAT(error_of("refused", "refusal"), HasSubstr("facts/one.toml:14: "));
}

TEST(Facts, AreCalledByANameOfTheirOwn) {
  EXPECT_EQ(error_of("no-nans", "tp-before-fsdp"), "facts/one.toml:10: the name 'tp-before-fsdp' stands twice");
  EXPECT_EQ(error_of("no-nans", "No NaNs"),
            "facts/one.toml:10: name = \"No NaNs\" is none; write small letters, digits and '-'");
}

TEST(Facts, StandOnceInAllFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "facts";
  std::filesystem::create_directories(folder);
  for (const char* name : {"a.toml", "b.toml"}) std::ofstream(folder / name) << kText;
  const auto facts = load_facts(folder, sample_pages());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().message, (folder / "b.toml").string() +
                                       ": the name 'tp-before-fsdp' stands in another file too; give one of the two another");
  std::filesystem::remove(folder / "b.toml");
  EXPECT_EQ(load_facts(folder, sample_pages())->size(), 2u);
  std::filesystem::remove_all(folder);
  EXPECT_THAT(load_facts(folder, sample_pages()).error().message, HasSubstr("cannot read the folder"));
}

TEST(Facts, HaveTheSourceOfACitationWhateverItsPlace) {
  Rule rule = sample_order_rule();
  const Fact fact{.source = "https://example.org/order#L7"};
  rule.citations = {{.url = "https://example.org/order#L90-L99"}};
  EXPECT_TRUE(cites_source_of(rule, fact));
  rule.citations = {{.url = "https://example.org/order"}};
  EXPECT_TRUE(cites_source_of(rule, fact));
  rule.citations = {{.url = "https://example.org/orders"}, {.url = "https://example.org/"}};
  EXPECT_FALSE(cites_source_of(rule, fact));
}

}  // namespace
}  // namespace ordercheck
