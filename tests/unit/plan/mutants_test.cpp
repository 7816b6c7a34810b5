#include "plan/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kMutantsText = R"(engine = "native"

[[mutant]]
name = "own_tokens"
imitates = "M1"
cases = ["cp=2", "fsdp=2 model=moe"]
verdict = "differs"
first = "loss"

[[mutant]]
name = "untouched"
cases = ["ac"]
verdict = "ignored"
)";

const std::vector<ErrorClass> kClasses{{.id = "M1", .what = "a sum is dropped", .shown_by = ""}};

std::string error_with(const std::string& from, const std::string& to) {
  std::string text = kMutantsText;
  text.replace(text.find(from), from.size(), to);
  const auto rows = parse_mutant_rows(text, "native.toml", kClasses);
  return rows ? "no error" : rows.error().message;
}

TEST(MutantRows, AreARowACase) {
  const auto read = parse_mutant_rows(kMutantsText, "native.toml", kClasses);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->engine, "native");
  ASSERT_EQ(read->rows.size(), 3u);
  EXPECT_EQ(print(read->rows[1].subject), "fsdp=2 model=moe");
  EXPECT_EQ(read->rows[1].mutant, "own_tokens");
  EXPECT_EQ(read->rows[1].first, "loss");
  EXPECT_EQ(read->rows[1].imitates, "M1");
  EXPECT_EQ(read->rows[2].verdict, Verdict::ignored);
  EXPECT_EQ(read->rows[2].first, "");
}

TEST(MutantRows, RefuseWhatCannotBeMeantInOneLine) {
  EXPECT_THAT(error_with("engine = \"native\"", ""), HasSubstr("native.toml:1: "));
  EXPECT_THAT(error_with("\"differs\"", "\"equal\""),
              AllOf(HasSubstr("native.toml:7: "), HasSubstr("expected differs, fails, hangs or ignored, got 'equal'")));
  EXPECT_THAT(error_with("imitates = \"M1\"", "imitates = \"M2\""),
              AllOf(HasSubstr("native.toml:5: "), HasSubstr("no class 'M2'"), HasSubstr("M1")));
  EXPECT_THAT(error_with("\"cp=2\"", "\"pc=2\""), AllOf(HasSubstr("native.toml:6: "), HasSubstr("pc")));
  EXPECT_THAT(error_with("\"cp=2\"", "\"(nothing)\""), AllOf(HasSubstr("native.toml:6: "), HasSubstr("its own reference")));
  EXPECT_THAT(error_with("name = \"untouched\"\ncases = [\"ac\"]", "name = \"own_tokens\"\ncases = [\"cp=2\"]"),
              AllOf(HasSubstr("native.toml:12: "), HasSubstr("twice")));
  EXPECT_THAT(error_with("first = ", "frist = "), AllOf(HasSubstr("native.toml:8: "), HasSubstr("'frist'")));
  EXPECT_THAT(error_with("[[mutant]]", "[[mutant"), HasSubstr("native.toml:"));
}

// What is committed: `ordercheck mutants run --write` writes the runs.
TEST(MutantRows, OfTheRepositoryWereEachSeen) {
  const std::filesystem::path matrix = ORDERCHECK_SOURCE_DIR "/matrix";
  const auto engines = engines_with_mutants(matrix);
  EXPECT_FALSE(engines.empty());
  for (const std::string& engine : engines) {
    const auto rows = load_mutant_rows(matrix, engine);
    ASSERT_TRUE(rows) << rows.error().message;
    const auto runs = load_mutant_table(mutant_table_path(matrix, engine));
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_EQ(runs->rows.size(), rows->rows.size());
    for (const MutantRow& row : rows->rows) {
      const MutantRun* run = find_run(*runs, row.mutant, print(row.subject));
      ASSERT_NE(run, nullptr) << row.mutant << " was not run on " << print(row.subject);
      EXPECT_TRUE(shows_parity(run->twin)) << print(row.subject);
      EXPECT_EQ(sighting_of(row, *run), Sighting::seen) << row.mutant << " on " << print(row.subject);
    }
  }
}

TEST(MutantRows, HaveToBeOfTheEngineThatTheFileIsCalledAfter) {
  EXPECT_FALSE(load_mutant_rows(ORDERCHECK_SOURCE_DIR "/matrix", "another"));
  EXPECT_TRUE(engines_with_mutants("nowhere").empty());
}

TEST(Sighting, IsOfTheVerdictAndOfTheFirstDifference) {
  const MutantRow expected{.mutant = "m", .subject = {}, .verdict = Verdict::differs, .first = "loss", .imitates = ""};
  const auto seen_as = [&](Verdict verdict, const std::string& first) {
    return sighting_of(expected, {.mutant = "m", .case_text = "tp=2", .breaks = "", .verdict = verdict, .first = first});
  };
  EXPECT_EQ(seen_as(Verdict::differs, "loss"), Sighting::seen);
  EXPECT_EQ(seen_as(Verdict::differs, "gradient norm"), Sighting::elsewhere);
  EXPECT_EQ(seen_as(Verdict::fails, "loss"), Sighting::elsewhere);
  for (const Verdict undecided : {Verdict::equal, Verdict::close, Verdict::unstable, Verdict::unrun})
    EXPECT_EQ(seen_as(undecided, ""), Sighting::missed) << name_of(undecided);
  MutantRow anywhere = expected;
  anywhere.first = "";
  EXPECT_EQ(sighting_of(anywhere, {.verdict = Verdict::differs, .first = "gradient norm"}), Sighting::seen);
}

}  // namespace
}  // namespace ordercheck
