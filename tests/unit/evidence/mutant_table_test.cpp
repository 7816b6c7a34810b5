#include "evidence/mutant_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

MutantTable sample_table() {
  return {.engine = "native",
          .versions = {"libtorch 2.11.0"},
          .device = "cpu",
          .rows = {{.mutant = "drop_sum",
                    .case_text = "tp=2",
                    .breaks = "a sum\tis dropped",
                    .twin = Verdict::equal,
                    .verdict = Verdict::differs,
                    .first = "loss",
                    .message = "two\nlines"},
                   {.mutant = "untouched",
                    .case_text = "ac",
                    .breaks = "nothing is wrapped",
                    .twin = Verdict::equal,
                    .verdict = Verdict::ignored,
                    .first = "ac",
                    .message = ""}}};
}

std::string error_with(const std::string& from, const std::string& to) {
  std::string text = print_mutant_table(sample_table());
  text.replace(text.find(from), from.size(), to);
  const auto table = parse_mutant_table(text, "native.tsv");
  return table ? "no error" : table.error().message;
}

TEST(MutantTable, IsReadAsItWasWrittenInAnyOrder) {
  MutantTable table = sample_table();
  std::swap(table.rows[0], table.rows[1]);
  const auto read = parse_mutant_table(print_mutant_table(table), "native.tsv");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, sample_table());
  EXPECT_EQ(find_run(*read, "untouched", "ac")->verdict, Verdict::ignored);
  EXPECT_EQ(find_run(*read, "untouched", "sac"), nullptr);
}

TEST(MutantTable, RefusesWhatItDoesNotWrite) {
  EXPECT_THAT(error_with("mutants 1", "mutants 2"), AllOf(HasSubstr("native.tsv:1: "), HasSubstr("mutants run --write")));
  EXPECT_THAT(error_with("# device", "# advice"), AllOf(HasSubstr("native.tsv:4: "), HasSubstr("engine, version or device")));
  EXPECT_THAT(error_with("mutant\tcase", "case\tmutant"), AllOf(HasSubstr("native.tsv:5: "), HasSubstr("column names")));
  EXPECT_THAT(error_with("equal\tdiffers", "equals\tdiffers"),
              AllOf(HasSubstr("native.tsv:6: "), HasSubstr("'equals' is none of equal, close")));
  EXPECT_THAT(error_with("\tloss", ""), AllOf(HasSubstr("native.tsv:6: "), HasSubstr("6 columns, expected 7")));
  EXPECT_THAT(error_with("untouched", "a"), AllOf(HasSubstr("native.tsv:7: "), HasSubstr("sorted")));
}

TEST(MutantTable, IsWithoutRowsWhereThereIsNoFile) {
  const auto table = load_mutant_table("no/such.tsv");
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->rows.empty());
}

TEST(FirstOf, IsTheDifferenceTheLostEffectOrThePlace) {
  EXPECT_EQ(first_of({.difference = Difference{.what = "loss"}}), "loss");
  EXPECT_EQ(first_of({.difference = Difference{.what = "loss", .step = 1}}), "loss of step 1");
  EXPECT_EQ(first_of({.verdict = Verdict::ignored, .effects = {{.transform = "ac", .defined = true, .present = false}}}), "ac");
  EXPECT_EQ(first_of({.verdict = Verdict::hangs, .operation = "all_reduce", .group = "ep"}), "all_reduce on ep");
  EXPECT_EQ(first_of({.verdict = Verdict::equal}), "");
}

}  // namespace
}  // namespace ordercheck
