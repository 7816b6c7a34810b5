#include "report/text/mutants_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

using testing::HasSubstr;

MutantRow row_on(const std::string& mutant, const std::string& stack) {
  return {
      .mutant = mutant, .subject = parse_case(stack).value(), .verdict = Verdict::differs, .first = "loss", .imitates = "M1"};
}

MutantResult result_of(const MutantRow& row, Verdict twin, Verdict verdict, const std::string& first) {
  return {.expected = row,
          .run = {.mutant = row.mutant,
                  .case_text = print(row.subject),
                  .breaks = "",
                  .twin = twin,
                  .verdict = verdict,
                  .first = first,
                  .message = ""}};
}

const std::vector<MutantRow> kRows{row_on("bend", "tp=2"), row_on("bend", "fsdp=2"), row_on("idle", "ac")};
const Hello kHello{.engine = "e",
                   .versions = {"lib 1"},
                   .mutants = {{.name = "bend", .breaks = "a gradient is bent"}, {.name = "new", .breaks = "nothing yet"}}};

TEST(MutantsText, IsALineAMutantWithItsCases) {
  EXPECT_EQ(render_mutants_text(kHello, kRows),
            "  bend  a gradient is bent  M1  tp=2 | fsdp=2\n"
            "  new   nothing yet         -   no case\n");
}

TEST(MutantsText, SaysWhereItIsSeen) {
  const MutantLines lines(kRows);
  EXPECT_EQ(lines.line(result_of(kRows[0], Verdict::equal, Verdict::differs, "loss")),
            "bend  tp=2    twin equal     differs   loss  seen\n");
  EXPECT_THAT(lines.line(result_of(kRows[0], Verdict::equal, Verdict::differs, "gradient norm")),
              HasSubstr("  seen elsewhere\n"));
  EXPECT_EQ(lines.line(result_of(kRows[2], Verdict::equal, Verdict::equal, "")),
            "idle  ac      twin equal     equal     -     NOT SEEN\n");
}

TEST(MutantsText, CountsWhatWasSeenAndTwinsThatAreNotEqual) {
  const MutantsResult result{.hello = kHello,
                             .rows = {result_of(kRows[0], Verdict::equal, Verdict::differs, "loss"),
                                      result_of(kRows[1], Verdict::differs, Verdict::differs, "gradient norm"),
                                      result_of(kRows[2], Verdict::close, Verdict::equal, "")},
                             .without_case = {"new"}};
  EXPECT_EQ(
      render_mutants_summary(result),
      "3 rows of 2 mutants on e (lib 1): 1 seen, 1 seen elsewhere, 1 not seen; 3 twins, 1 neither equal nor close: fsdp=2 "
      "is differs.\n1 mutant without a case: new.\n");
  const auto json = nlohmann::json::parse(render_mutants_result_json(result));
  EXPECT_EQ(json["rows"][1]["sighting"], "elsewhere");
  EXPECT_EQ(json["without_case"][0], "new");
}

}  // namespace
}  // namespace ordercheck
