#include "matrix/plan_result.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

CaseResult result_of(const char* stack, Verdict verdict, Agreement agreement) {
  const Case subject{.stack = *parse_stack(stack)};
  return {.planned = {.subject = subject, .sources = {}},
          .outcome = {.subject = subject,
                      .seen = {.case_text = print(subject), .verdict = verdict},
                      .prediction = {},
                      .agreement = agreement},
          .record = {},
          .closeness = {},
          .persistence = "",
          .divergence = {}};
}

PlanResult sample() {
  PlanResult result;
  result.hello = {.engine = "native", .versions = {"libtorch 2.11.0"}, .devices = {"cpu"}};
  result.cases = {result_of("tp=2,fsdp=2", Verdict::equal, Agreement::confirmed),
                  result_of("fsdp=2,tp=2", Verdict::fails, Agreement::contradiction)};
  result.controls = {{.name = "repeated runs", .held = false}, {.name = "shuffled gradient", .judged = false}};
  return result;
}

TEST(Evidence, OfAPlanIsSortedByCase) {
  const EvidenceTable table = evidence_of(sample());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].case_text, "fsdp=2,tp=2");
  EXPECT_EQ(table.device, "cpu");
  EXPECT_EQ(table.arithmetic, "exact");
  EXPECT_EQ(table.controls.size(), 2u);
}

TEST(Tally, CountsWhatAPageExplainsByItself) {
  PlanResult result = sample();
  EXPECT_EQ(tally_of(result).contradictions, 1);
  EXPECT_EQ(tally_of(result).controls_failed, 1) << "what could not be judged has not failed";
  result.cases[1].outcome.explanation = "a page says so";
  EXPECT_EQ(tally_of(result).contradictions, 0);
  EXPECT_EQ(tally_of(result).explained, 1);
}

}  // namespace
}  // namespace ordercheck
