#include "rules/render.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RenderText, IsTheFormatOfTheDesign) {
  std::vector<Rule> rules{rule({"ORD-004", RuleKind::order, "fsdp", "tp"}), rule({"ORD-005", RuleKind::order, "ac", "cp"})};
  Expectation expected;
  expected.engine = "pytorch";
  expected.version = *parse_version("2.11.0");
  expected.verdict = Verdict::fails;
  expected.phase = Phase::apply;
  expected.message = "Cannot distribute a DTensor";
  rules[0].expectations = {expected};
  EXPECT_EQ(render_text(Court(Given::rules, rules).check("ac,fsdp=2,tp=2"), false),
            "ORD-004 error (cited): fsdp is applied before tp\n"
            "  you wrote    fsdp=2 (2nd) then tp=2 (3rd)\n"
            "  but          tp goes before fsdp: Because it is so [torchtitan#1554, 2025-08-13]\n"
            "  smallest     fsdp=2,tp=2            shows: fails while applying, \"Cannot distribute a DTensor ...\"\n"
            "  try          ac,tp=2,fsdp=2  [not run on pytorch 2.11]\n"
            "Smallest conflict in it: fsdp=2,tp=2 (ORD-004).\n"
            "Repaired: ac,tp=2,fsdp=2\n"
            "1 error. ordercheck explain ORD-004 prints the rule. Judged for pytorch 2.11.\n");
}

TEST(RenderText, SaysWhenNothingIsAgainstIt) {
  EXPECT_EQ(render_text(Court(usual_rules()).check("tp=2,ac"), false), "Nothing against it. Judged for pytorch 2.11.\n");
}

TEST(RenderText, SaysWhichSizesWereUnknownAndHowToGiveThem) {
  Report report = Court(usual_rules()).check("tp=2,ac");
  report.not_judged = {{.rule = "FIT-002", .sizes = {"heads", "kv_heads"}},
                       {.rule = "FIT-003", .sizes = {"sequence_length"}},
                       {.rule = "FIT-001", .sizes = {"ranks"}}};
  EXPECT_EQ(render_text(report, false),
            "Nothing against it in what could be judged. Judged for pytorch 2.11.\n"
            "Not judged, sizes unknown: FIT-002 (heads, kv_heads), FIT-003 (sequence_length), FIT-001 (ranks). "
            "Give them with --set heads=N,kv_heads=N,sequence_length=N or --config config.json of the model, and --ranks N.\n");
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_EQ(json["not_judged"][0]["rule"], "FIT-002");
  EXPECT_EQ(json["not_judged"][0]["unknown"], nlohmann::json({"heads", "kv_heads"}));
}

TEST(RenderText, TellsFindingsBrieflyWhereTheyAreMoreThanAScreen) {
  const Report report = Court(usual_rules()).check("fsdp=2,compile,ac,tp=2");
  const std::string screen = render_text(report, false), all = render_text(report, false, Detail::all);
  EXPECT_THAT(all, HasSubstr("  you wrote    fsdp=2 (1st) then tp=2 (4th)\n"));
  EXPECT_THAT(screen, Not(HasSubstr("you wrote")));
  // The stack that mends them all is told once.
  EXPECT_THAT(screen, Not(HasSubstr("  try  ")));
  EXPECT_THAT(screen, HasSubstr("Repaired: "));
  for (const Finding& finding : report.findings) EXPECT_THAT(screen, HasSubstr(finding.rule + " "));
}

TEST(RenderText, TellsAReportInALine) {
  EXPECT_EQ(render_text(Court(usual_rules()).check("fsdp=2,tp=2"), false, Detail::line),
            "1 error: ORD-002; repaired: tp=2,fsdp=2 (pytorch 2.11)\n");
  EXPECT_EQ(render_text(Court(usual_rules()).check("tp=2"), false, Detail::line), "Nothing against it (pytorch 2.11)\n");
}

TEST(RenderText, SaysWhatNothingIsKnownOf) {
  Report report = Court(usual_rules()).check("tp=2");
  report.unknown = {{.transform = "ep", .elsewhere = {{.target = *parse_target("torchtitan-0.2"), .counts = {.errors = 2}}}}};
  EXPECT_EQ(render_text(report, false),
            "Nothing is known of ep on pytorch 2.11: no run there has it. torchtitan 0.2: 2 errors.\n"
            "Nothing against it in what could be judged. Judged for pytorch 2.11.\n");
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_TRUE(json["legal"].is_null());
  EXPECT_EQ(json["unknown"][0]["elsewhere"][0]["errors"], 2);
}

TEST(RenderText, SaysThatNothingSoNewWasRun) {
  Report report = Court(usual_rules()).check("tp=2");
  report.newest_run = *parse_version("2.10.1");
  EXPECT_THAT(render_text(report, false),
              HasSubstr("Judged for pytorch 2.11, of which nothing was run: 2.10.1 is the newest."));
}

TEST(RenderText, SaysThatTheVersionWasAssumed) {
  Report report = Court(usual_rules()).check("tp=2");
  report.target_assumed = true;
  EXPECT_THAT(render_text(report, false), HasSubstr("Judged for pytorch 2.11, the newest that the rules know."));
}

TEST(RenderText, TellsAContradiction) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_THAT(render_text(court.check("ac,tp=2"), false),
              HasSubstr("However ac,tp=2 is ordered, ORD-001 and ORD-002 cannot all be kept: a contradiction."));
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  const Report report = Court(usual_rules()).check("fsdp=2,tp=2");
  EXPECT_THAT(render_text(report, true), HasSubstr("\033["));
  EXPECT_THAT(render_text(report, false), Not(HasSubstr("\033[")));
}

TEST(RenderJson, HoldsEverythingThatTheTextSays) {
  const auto json = nlohmann::json::parse(render_json(Court(usual_rules()).check("fsdp=2,tp=2")));
  EXPECT_EQ(json["stack"], "fsdp=2,tp=2");
  EXPECT_EQ(json["target"], "pytorch 2.11");
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["repaired"], "tp=2,fsdp=2");
  EXPECT_EQ(json["findings"][0]["rule"], "ORD-002");
  EXPECT_EQ(json["findings"][0]["severity"], "error");
  EXPECT_EQ(json["findings"][0]["parties"][1]["item"], "tp=2");
  EXPECT_EQ(json["findings"][0]["tries"][0]["stack"], "tp=2,fsdp=2");
  EXPECT_EQ(json["findings"][0]["tries"][0]["change"], "");
  EXPECT_EQ(json["findings"][0]["tries"][0]["keeps_every_transform"], true);
  EXPECT_EQ(json["conflict"]["stack"], "fsdp=2,tp=2");
}

TEST(Ordinals, AreEnglish) {
  EXPECT_EQ(ordinal(0), "1st");
  EXPECT_EQ(ordinal(1), "2nd");
  EXPECT_EQ(ordinal(2), "3rd");
  EXPECT_EQ(ordinal(3), "4th");
  EXPECT_EQ(ordinal(10), "11th");
  EXPECT_EQ(ordinal(20), "21st");
}

}  // namespace
}  // namespace ordercheck
