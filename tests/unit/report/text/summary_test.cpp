#include "report/text/summary.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "record/counters.h"
#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

Plan plan_of(const std::vector<std::string>& stacks) {
  Plan plan{.engine = "native"};
  for (const auto& stack : stacks)
    plan.cases.push_back({{.stack = *parse_stack(stack)}, {{SourceKind::witness, "ORD-901 bad"}, {SourceKind::legal, ""}}});
  return plan;
}

PlanResult result_of(Agreement agreement) {
  PlanResult result{.hello = sample_hello(), .plan = plan_of({"tp=2"})};
  const Case& subject = result.plan.cases[0].subject;
  CaseResult one{.planned = result.plan.cases[0], .record = honest_record(subject)};
  one.outcome = {.subject = subject,
                 .seen = {.verdict = Verdict::differs, .message = "the loss is another"},
                 .prediction = {},
                 .agreement = agreement,
                 .disagreement = "no rule flags it, so equal is predicted; seen: differs"};
  one.divergence = Divergence{.step = 1,
                              .phase = Phase::backward,
                              .module = "layers.0",
                              .ulp = 3,
                              .elements = 9,
                              .differing = 2,
                              .owed_largest = 7.3,
                              .got_largest = 0,
                              .apart = 7.3};
  result.cases = {one};
  result.controls = {{.name = "plain arithmetic", .held = false, .evidence = "0 of 2 differ"}};
  return result;
}

TEST(Summary, APlanIsALineACase) {
  EXPECT_EQ(render_plan_text(plan_of({"tp=2"})), "tp=2  witness ORD-901 bad, legal\n1 case planned on native, 0 not\n");
}

TEST(Summary, OpenCasesAreListedWithTheReason) {
  PlanResult result = result_of(Agreement::open);
  result.cases[0].outcome.prediction.fired = {"ORD-901", "ORD-902"};
  result.cases.push_back(result.cases[0]);
  result.cases[1].outcome.subject.stack = *parse_stack("tp=4");
  result.cases.push_back(result.cases[0]);
  result.cases[2].outcome.subject.stack = *parse_stack("tp=8");
  result.cases[2].outcome.open_because = "ORD-903: all_gather is not measured by native";
  const std::string text = render_result_text(result);
  EXPECT_THAT(
      text,
      HasSubstr("open           2 cases: no rule speaks about this engine and version (ORD-901, ORD-902 speak about others)\n"
                "                 tp=2\n                 tp=4\n"));
  EXPECT_THAT(text, HasSubstr("open           1 case: ORD-903: all_gather is not measured by native\n                 tp=8\n"));
}

TEST(Summary, AContradictionIsToldWithItsFirstTensor) {
  const std::string text = render_result_text(result_of(Agreement::contradiction));
  EXPECT_THAT(text, HasSubstr("contradiction  tp=2: no rule flags it, so equal is predicted; seen: differs\n"));
  EXPECT_THAT(text, HasSubstr("the loss is another\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "first in layers.0 of step 1, backward: max |grad| 0 against 7.3, 2 of 9 numbers differ by up to 7.3 (3 ULP)\n"));
  EXPECT_THAT(text, HasSubstr("control        plain arithmetic FAILED: 0 of 2 differ\n"));
  EXPECT_THAT(text, HasSubstr("1 case on native (libtorch 2.11.0): 1 differs\n"));
}

TEST(Summary, AnUndecidedCaseIsNamed) {
  EXPECT_THAT(render_result_text(result_of(Agreement::undecided)), HasSubstr("differs        tp=2: the loss is another\n"));
}

TEST(Summary, ManyCasesAreASummaryUnlessVerbose) {
  PlanResult result = result_of(Agreement::contradiction);
  for (const char* why : {"a", "b", "c", "d", "e"})
    for (int i = 0; i < 10; ++i) {
      CaseResult open = result_of(Agreement::open).cases[0];
      open.outcome.open_because = why;
      result.cases.push_back(open);
      result.cases.push_back(result.cases[0]);
      result.cases.push_back(result_of(Agreement::undecided).cases[0]);
      result.plan.not_planned.push_back({.subject = open.outcome.subject, .sources = {}, .reason = why});
    }
  result.controls.resize(4, result.controls[0]);
  const std::string brief = render_result_text(result);
  EXPECT_THAT(brief, testing::StartsWith("contradiction  tp=2: "));
  EXPECT_EQ(std::ranges::count(brief, '\n'), 30) << brief;
  EXPECT_THAT(brief, HasSubstr("               46 more such\n"));
  EXPECT_THAT(brief, HasSubstr("open           10 cases: a\n"));
  EXPECT_THAT(brief, testing::EndsWith("--verbose lists every case\n"));
  const std::string verbose = render_result_text(result, true);
  EXPECT_THAT(verbose, HasSubstr("open           10 cases: e\n"));
  EXPECT_GE(std::ranges::count(verbose, '\n'), 200);
}

TEST(Summary, JsonHoldsTheSame) {
  const auto json = nlohmann::json::parse(render_result_json(result_of(Agreement::contradiction)));
  EXPECT_EQ(json["contradictions"], 1);
  EXPECT_EQ(json["verdicts"]["differs"], 1);
  EXPECT_EQ(json["outcomes"][0]["case"], "tp=2");
  EXPECT_EQ(json["outcomes"][0]["divergence"]["module"], "layers.0");
  EXPECT_EQ(json["controls"][0]["held"], false);
  EXPECT_EQ(json["outcomes"][0]["divergence"]["owed_largest"], 7.3);
  EXPECT_FALSE(json["outcomes"][0].contains("difference"));
}

TEST(Summary, BitsAndHashesStayInJson) {
  PlanResult result = result_of(Agreement::contradiction);
  result.cases[0].outcome.seen.difference =
      Difference{.what = "loss", .rank = 0, .expected = "4014a0657dac96f7", .got = "40148eedddda1126"};
  EXPECT_EQ(nlohmann::json::parse(render_result_json(result))["outcomes"][0]["difference"]["got"], "40148eedddda1126");
  EXPECT_THAT(render_result_text(result), testing::Not(HasSubstr("40148eedddda1126")));
}

TEST(Summary, OneOfAThingIsOne) {
  PlanResult result = result_of(Agreement::contradiction);
  result.cases[0].outcome.explanation = "because of a page";
  EXPECT_THAT(render_result_text(result), HasSubstr(" 1 contradiction explained by a rule, 0 not explained"));
}

TEST(Summary, AControlThatHadNothingToJudgeByNeitherHeldNorFailed) {
  PlanResult result = result_of(Agreement::confirmed);
  result.controls = {
      {.name = "plain arithmetic", .held = false, .evidence = "no legal layout among the cases", .judged = false}};
  EXPECT_THAT(render_result_text(result),
              HasSubstr("control        plain arithmetic not judged: no legal layout among the cases\n"));
  EXPECT_EQ(tally_of(result).controls_failed, 0);
}

TEST(Summary, ACounterThatWasNotMeasuredIsNeverAZero) {
  PlanResult result = result_of(Agreement::open);
  CaseResult& one = result.cases[0];
  Outcome& outcome = one.outcome;
  outcome.seen.counters = {.graph_captures = 2, .p2p_messages = kNotMeasured};
  outcome.open_because = "COM-002: p2p_messages is not measured by native";
  const std::string text = render_case_text(one, result.hello);
  EXPECT_THAT(text, HasSubstr("graph_captures=2\n"));
  EXPECT_THAT(text, HasSubstr("p2p_messages not measured\n"));
  EXPECT_THAT(text, HasSubstr("[open; COM-002: p2p_messages is not measured by native]\n"));
  EXPECT_THAT(render_result_text(result), HasSubstr("open, COM-002: p2p_messages is not measured by native: the loss"));
  const auto json = nlohmann::json::parse(render_case_json(one, result.hello));
  EXPECT_EQ(json["counters"]["graph_captures"], 2);
  EXPECT_EQ(json["counters"]["graph_breaks"], 0);
  EXPECT_EQ(json["counters"]["p2p_messages"], "not measured");
  EXPECT_EQ(json["open_because"], outcome.open_because);
}

TEST(Summary, EvidenceIsALineACase) {
  EvidenceTable table{.engine = "native", .versions = {"libtorch 2.11.0"}, .device = "cpu"};
  table.rows = {{.case_text = "ac"},
                {.case_text = "fsdp=2,tp=2", .verdict = Verdict::fails, .phase = Phase::apply, .message = "mixed"}};
  table.rows[0].verdict = Verdict::equal;
  EXPECT_EQ(render_evidence_text(table),
            "native (libtorch 2.11.0), cpu, exact arithmetic: 2 cases\n"
            "ac           equal\n"
            "fsdp=2,tp=2  fails    in apply: mixed\n");
}

}  // namespace
}  // namespace ordercheck
