#include "rules/load.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "stack/notation.h"
#include "unit/rules/page_text.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ParseRule, ReadsEveryField) {
  const Rule rule = rule_of(good_page());
  EXPECT_EQ(rule.id, "ORD-004");
  EXPECT_EQ(rule.kind, RuleKind::order);
  EXPECT_EQ(rule.slug, "fsdp-before-tp");
  EXPECT_EQ(rule.title, "FSDP2 applied before tensor parallelism");
  EXPECT_EQ(print(rule.one), "fsdp|hsdp");
  EXPECT_EQ(print(rule.other), "tp");
  EXPECT_EQ(rule.when->text, "tp > 1");
  EXPECT_EQ(rule.basis, Basis::incidental);
  EXPECT_EQ(rule.harm, Harm::fails);
  ASSERT_EQ(rule.holds.size(), 2u);
  EXPECT_EQ(print(rule.holds[0]), "pytorch>=2.6");
  ASSERT_EQ(rule.citations.size(), 1u);
  EXPECT_EQ(rule.citations[0].date, "2025-08-13");
  EXPECT_EQ(print(rule.witness.bad), "fsdp=2,tp=2");
  EXPECT_EQ(print(rule.witness.good), "tp=2,fsdp=2");
  ASSERT_EQ(rule.expectations.size(), 1u);
  EXPECT_EQ(rule.expectations[0].phase, Phase::apply);
  EXPECT_EQ(rule.limits, "None known.");
  EXPECT_EQ(rule.page, good_page());
}

TEST(ParseRule, APinMayBeOfSeveralVersionsAndStacks) {
  const Rule rule = rule_of(
      page_with("version = \"2.11.0\"", "versions = [\"2.11.0\", \"2.12.1\"]\nstacks = [\"fsdp=2,tp=2\", \"fsdp=2,tp=2,ac\"]"));
  ASSERT_EQ(rule.expectations.size(), 4u);
  EXPECT_EQ(print(rule.expectations[1].version), "2.11.0");
  EXPECT_EQ(print(*rule.expectations[1].stack), "fsdp=2,tp=2,ac");
  EXPECT_EQ(print(rule.expectations[2].version), "2.12.1");
  EXPECT_EQ(rule.expectations[3].phase, rule.expectations[0].phase);
  EXPECT_THAT(error_of(page_with("version = \"2.11.0\"", "version = \"2.11.0\"\nversions = [\"2.12.1\"]")),
              HasSubstr("one of version, versions is enough"));
}

TEST(ParseRule, ReasonIsTheFirstSentenceAndAVersionEndsNone) {
  EXPECT_EQ(reason_of(rule_of(good_page())), "FSDP shards what TP left, as of version 2.11 at least");
}

struct Mistake {
  const char* name;
  const char* old;
  const char* fresh;
  const char* line;
  const char* says;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreToldWithTheirLine) {
  const Mistake& mistake = GetParam();
  EXPECT_THAT(error_of(page_with(mistake.old, mistake.fresh)),
              AllOf(StartsWith(std::string("rules/order/fsdp-before-tp.md:") + mistake.line + ": "), HasSubstr(mistake.says)));
}

INSTANTIATE_TEST_SUITE_P(
    Head, Mistakes,
    testing::Values(
        Mistake{"unknown_key", "basis = ", "bases = \"x\"\nbasis = ", "6",
                "unknown key 'bases' in the head; did you mean 'basis'?"},
        Mistake{"key_of_another_kind", "then = ", "item = \"ac\"\nthen = ", "4", "unknown key 'item' in the head"},
        Mistake{"missing_key", "harm = \"fails\"\n", "", "2", "the key 'harm' is missing in the head"},
        Mistake{"broken_toml", "harm = \"fails\"", "harm = \"fails", "7", ""},
        Mistake{"wrong_type", "harm = \"fails\"", "harm = 3", "7", "'harm' is no string"},
        Mistake{"unknown_harm", "\"fails\"\nholds", "\"fail\"\nholds", "7", "is none of wrong, fails, hangs"},
        Mistake{"id_of_another_kind", "ORD-004", "CLA-004", "2", "expected one like ORD-001"},
        Mistake{"retired_without_a_day", "when = ", "retired = \"nobody says it\"\nwhen = ", "5", "does not say when and why"},
        Mistake{"retired_without_a_reason", "when = ", "retired = \"2026-11-22: \"\nwhen = ", "5", "does not say when and why"},
        Mistake{"short_id", "ORD-004", "ORD-4", "2", "expected one like ORD-001"},
        Mistake{"unknown_transform", "then = \"tp\"", "then = \"simple_fsd\"", "4",
                "unknown transform 'simple_fsd'; did you mean 'simple_fsdp'?"},
        Mistake{"unknown_name", "when = \"tp > 1\"", "when = \"tb > 1\"", "5", "unknown name 'tb'; did you mean 'tp'?"},
        Mistake{"no_version", "\"pytorch>=2.6\"", "\"pytorch\"", "8", "names no version"},
        Mistake{"holds_for_nobody", "[\"pytorch>=2.6\", \"native>=1\"]", "[]", "8", "'holds' is empty"},
        Mistake{"bad_date", "2025-08-13", "13.8.2025", "11", "date"},
        Mistake{"month_thirteen", "2025-08-13", "2025-13-08", "11", "date"},
        Mistake{"no_address", "https://github.com", "github.com", "10", "no https:// address"},
        Mistake{"bad_stack", "fsdp=2,tp=2", "fsdb=2,tp=2", "15", "unknown transform 'fsdb'"},
        Mistake{"unknown_verdict", "verdict = \"fails\"", "verdict = \"crashes\"", "20", "is none of equal"},
        Mistake{"failure_without_message", "message = \"Cannot distribute a DTensor\"\n", "", "20", "pinned by 'phase'"},
        Mistake{"departure_without_because", "verdict = \"fails\"", "verdict = \"equal\"", "20", "departs from harm"},
        Mistake{"unknown_counter", "phase = \"apply\"", "phase = \"apply\"\nmore = \"all_gathers\"", "22",
                "did you mean 'all_gather'?"},
        Mistake{"ignored_without_a_name", "harm = \"fails\"", "harm = \"ignored\"", "7", "an ignored transform is named"},
        Mistake{"name_of_what_is_not_ignored", "harm = \"fails\"", "harm = \"fails\"\nloses = \"tp\"", "8", "ignores nothing"},
        Mistake{"loses_what_is_not_there", "harm = \"fails\"", "harm = \"ignored\"\nloses = \"ac\"", "8",
                "not in the smallest stack"},
        Mistake{"pin_for_somebody_else", "engine = \"pytorch\"", "engine = \"torchtitan\"", "18",
                "'holds' does not speak about torchtitan"},
        Mistake{"pin_for_one_implementation", "\"pytorch>=2.6\", ", "\"pytorch-fsdp1>=2.6\", ", "18",
                "'holds' does not speak about pytorch"},
        Mistake{"unknown_key_of_cite", "claim = ", "clam = \"x\"\nclaim = ", "13", "unknown key 'clam' in [[cite]]"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Frame, Mistakes,
    testing::Values(Mistake{"no_opening", "<!--\nid", "id", "1", "expected a line '<!--'"},
                    Mistake{"second_title", "## Why", "# Another\n## Why", "29", "second title"},
                    Mistake{"sections_out_of_order", "## Why", "## Limits", "29", "expected section '## Why', got '## Limits'"},
                    Mistake{"section_too_many", "None known.\n", "None known.\n## More\nx\n", "34", "after '## Limits'"},
                    Mistake{"empty_section", "One before the other.\n", "", "26", "section '## What it flags' is empty"},
                    Mistake{"text_before_sections", "tensor parallelism\n", "tensor parallelism\nstray\n", "25",
                            "text between the title"}),
    [](const auto& info) { return info.param.name; });

// The head with another harm and another pin.
std::string page_of(const std::string& harm, const std::string& pin) {
  std::string text = page_with("harm = \"fails\"", harm);
  const std::size_t at = text.find("verdict = ");
  return text.replace(at, text.find("-->\n#") - at, pin);
}

TEST(ParseRule, ACostIsPinnedByACounterThatMoves) {
  EXPECT_THAT(error_of(page_of("harm = \"slow\"", "verdict = \"equal\"\n")), HasSubstr("pin a counter"));
  EXPECT_THAT(error_of(page_of("harm = \"slow\"", "verdict = \"equal\"\nsame = \"all_gather\"\n")),
              HasSubstr("'same' departs from harm = \"slow\""));
  const Rule more = rule_of(page_of("harm = \"memory\"", "verdict = \"equal\"\nmore = \"all_gather\"\n"));
  EXPECT_EQ(more.expectations.at(0).move, Move::more);
}

TEST(ParseRule, AnIgnoredTransformIsNamedOnThePageAndInAPinThatDeparts) {
  const Rule rule = rule_of(page_of("harm = \"ignored\"\nloses = \"tp\"", "verdict = \"ignored\"\nsame = \"all_gather\"\n"));
  EXPECT_EQ(print(rule.loses), "tp");
  EXPECT_EQ(rule.expectations.at(0).loses, rule.loses);
  const std::string departing = "verdict = \"ignored\"\nbecause = \"as the counters say\"\n";
  EXPECT_THAT(error_of(page_of("harm = \"wrong\"", departing)), HasSubstr("an ignored transform is named"));
  EXPECT_EQ(print(rule_of(page_of("harm = \"wrong\"", departing + "loses = \"fsdp\"\n")).expectations.at(0).loses), "fsdp");
}

TEST(ParseRule, AnIgnoredTransformMayLoseAPartOfItsEffect) {
  const std::string pin = "verdict = \"ignored\"\nsame = \"all_gather\"\n";
  const Rule rule = rule_of(page_of("harm = \"ignored\"\nloses_part_of = \"tp\"", pin));
  EXPECT_EQ(print(rule.loses), "tp");
  EXPECT_TRUE(rule.loses_part);
  EXPECT_TRUE(rule.expectations.at(0).loses_part);
  EXPECT_FALSE(rule_of(page_of("harm = \"ignored\"\nloses = \"tp\"", pin)).loses_part);
  EXPECT_THAT(error_of(page_of("harm = \"ignored\"\nloses = \"tp\"\nloses_part_of = \"tp\"", pin)),
              HasSubstr("one of loses, loses_part_of is enough"));
  EXPECT_THAT(error_of(page_of("harm = \"fails\"\nloses_part_of = \"tp\"", pin)), HasSubstr("ignores nothing"));
}

// A page cut anywhere short of its end is refused, never half read.
TEST(ParseRule, ATornPageIsRefused) {
  const std::string whole = good_page();
  const std::size_t last_section = whole.find("None known.");
  for (std::size_t length = 0; length < last_section; ++length)
    EXPECT_FALSE(parse_rule(whole.substr(0, length), "rules/order/fsdp-before-tp.md")) << "cut after " << length;
}

TEST(ParseRule, TheSlugMustSayWhatThePageFlags) {
  EXPECT_THAT(error_of(good_page(), "rules/order/tp-before-fsdp.md"), HasSubstr("does not say 'fsdp|hsdp-before-tp'"));
  EXPECT_THAT(error_of(good_page(), "rules/order/fsdp-then-tp.md"), HasSubstr("has no '-before-'"));
  EXPECT_THAT(error_of(good_page(), "rules/sequence/fsdp-before-tp.md"), HasSubstr("'sequence' is no kind of rule"));
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() /
            ("ordercheck_rules_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
             std::to_string(::getpid()));
    fs::create_directories(root_ / "rules" / "order");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / "rules" / path).parent_path());
    std::ofstream(root_ / "rules" / path) << text;
  }
  fs::path rules() const { return root_ / "rules"; }

 private:
  fs::path root_;
};

TEST_F(Folder, LoadsSortedByIdAndLeavesTheTemplateOut) {
  write("order/fsdp-before-tp.md", good_page());
  write("order/hsdp-before-tp.md", page_with("ORD-004", "ORD-001"));
  write("TEMPLATE.md", "not a page");
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 2u);
  EXPECT_EQ((*rules)[0].id, "ORD-001");
  EXPECT_EQ((*rules)[0].file, "rules/order/hsdp-before-tp.md");
  EXPECT_EQ(find_rule(*rules, "fsdp-before-tp")->id, "ORD-004");
  EXPECT_EQ(find_rule(*rules, "order/fsdp-before-tp")->id, "ORD-004");
  EXPECT_EQ(find_rule(*rules, "ORD-009"), nullptr);
}

TEST_F(Folder, AnIdTakenTwiceIsRefused) {
  write("order/fsdp-before-tp.md", good_page());
  write("order/hsdp-before-tp.md", good_page());
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message, AllOf(HasSubstr("ORD-004"), HasSubstr("taken by rules/order/fsdp-before-tp.md")));
}

TEST_F(Folder, EveryBadPageIsTold) {
  write("order/fsdp-before-tp.md", page_with("harm = \"fails\"", "harm = \"fail\""));
  write("order/hsdp-before-tp.md", "torn");
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message, AllOf(HasSubstr("fsdp-before-tp.md:7:"), HasSubstr("hsdp-before-tp.md:1:")));
}

TEST_F(Folder, AnImpliedRuleMustExist) {
  write("order/fsdp-before-tp.md", page_with("harm = ", "implies = [\"ORD-099\"]\nharm = "));
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message, HasSubstr("implies \"ORD-099\", which no page has"));
}

constexpr const char* kRetired = "id = \"ORD-004\"\nretired = \"2026-11-22: nobody says it\"";

TEST_F(Folder, ARetiredPageIsReadAndIsNoRule) {
  write("order/fsdp-before-tp.md", page_with("id = \"ORD-004\"", kRetired));
  write("order/hsdp-before-tp.md", page_with("ORD-004", "ORD-001"));
  const Result<Pages> pages = load_pages(this->rules());
  ASSERT_TRUE(pages) << pages.error().message;
  ASSERT_EQ(pages->retired.size(), 1u);
  EXPECT_EQ(pages->retired[0].id, "ORD-004");
  EXPECT_EQ(pages->retired[0].retired, "2026-11-22: nobody says it");
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ((*rules)[0].id, "ORD-001");
}

TEST_F(Folder, ARetiredIdIsTakenAndImpliedByNoRule) {
  write("order/fsdp-before-tp.md", page_with("id = \"ORD-004\"", kRetired));
  write("order/hsdp-before-tp.md", good_page());
  EXPECT_THAT(load_rules(rules()).error().message, HasSubstr("taken by rules/order/fsdp-before-tp.md"));
  write("order/hsdp-before-tp.md", page_with("id = \"ORD-004\"", "id = \"ORD-001\"\nimplies = [\"ORD-004\"]"));
  EXPECT_THAT(load_rules(rules()).error().message,
              HasSubstr("implies \"ORD-004\", which is retired (2026-11-22: nobody says it)"));
}

TEST_F(Folder, APageOutsideAKindIsRefused) {
  write("order/fsdp-before-tp.md", good_page());
  write("ordre/hsdp-before-tp.md", good_page());
  const Result<std::vector<Rule>> rules = load_rules(this->rules());
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message, HasSubstr("rules/ordre/hsdp-before-tp.md:1: no folder of a kind"));
}

TEST_F(Folder, NoFolderAndNoPageAreErrors) {
  EXPECT_FALSE(load_rules(rules() / "none"));
  const Result<std::vector<Rule>> none = load_rules(rules());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no rule page"));
}

// Found by fuzzing: what a page says in a string is repeated in a message.
TEST(Messages, AreOneLineWhateverThePageSays) {
  for (const auto& [from, to] : {std::pair{"id = \"ORD-004\"", "id = \"ORD\\n004\""}, {"harm = ", "harm = \"\\u007f\"#"}}) {
    const auto rule = parse_rule(page_with(from, to), "rules/order/fsdp-before-tp.md");
    ASSERT_FALSE(rule);
    EXPECT_THAT(rule.error().message, testing::Not(testing::AnyOf(HasSubstr("\n"), HasSubstr("\x7f"))));
    EXPECT_THAT(rule.error().message, testing::AnyOf(HasSubstr("\\n"), HasSubstr("\\x7f")));
  }
}

TEST(NewestKnown, IsTheLargestLowerBoundOrExpectation) {
  const std::vector<Rule> rules{rule_of(good_page())};
  EXPECT_EQ(print(*newest_known(rules, "pytorch")), "2.11.0");
  EXPECT_EQ(print(*newest_known(rules, "native")), "1");
  EXPECT_FALSE(newest_known(rules, "megatron"));
}

}  // namespace
}  // namespace ordercheck
