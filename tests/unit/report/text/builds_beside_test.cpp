#include "report/text/builds_beside.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"

namespace ordercheck {
namespace {

const std::vector<std::string> kNames{"torch 2.11.0", "torch 2.15.0"};

CaseResult result_of(const std::string& stack, Verdict verdict, const std::string& reason) {
  const Case c{.stack = *parse_stack(stack)};
  CaseResult made{.planned = {.subject = c, .sources = {}}, .record = honest_record(c)};
  made.outcome.subject = c;
  made.outcome.seen = {.verdict = verdict, .message = reason};
  return made;
}

CaseResult broken(const std::string& stack) {
  CaseResult made = result_of(stack, Verdict::fails, "mixed tensors");
  break_in_apply(made.record);
  made.record.failure->message = "mixed tensors\nand more";
  made.outcome.seen.phase = Phase::apply;
  return made;
}

TEST(BuildsBeside, BuildsOfOneVerdictAreHeldAgainstEachOtherBitForBit) {
  const CaseResult one = result_of("tp=2", Verdict::equal, "as owed");
  EXPECT_EQ(render_builds(kNames, std::vector<CaseResult>{one, one}),
            "  torch 2.11.0  equal  as owed\n"
            "  torch 2.15.0  equal  as owed\n"
            "All 2 agree: equal. Every loss, gradient, norm and parameter has the same bits.\n");
  CaseResult other = one;
  bend_gradient(other.record);
  const std::string text = render_builds(kNames, std::vector<CaseResult>{one, other});
  EXPECT_NE(text.find("The numbers are not the same: torch 2.11.0 and torch 2.15.0 part first at the gradient"),
            std::string::npos)
      << text;
}

TEST(BuildsBeside, OtherVerdictsDoNotAgreeAndNoBitsAreSpokenOf) {
  EXPECT_EQ(render_builds(kNames, std::vector<CaseResult>{result_of("tp=2", Verdict::equal, "as owed"), broken("tp=2")}),
            "  torch 2.11.0  equal           as owed\n"
            "  torch 2.15.0  fails in apply  failed (apply): mixed tensors\n"
            "They do not agree.\n");
}

TEST(BuildsBeside, OfAMatrixOnlyWhatIsNotTheSameEverywhereIsListed) {
  PlanResult first, second;
  first.cases = {result_of("ac", Verdict::equal, ""), result_of("tp=2", Verdict::equal, ""),
                 result_of("tp=4", Verdict::equal, "")};
  second.cases = {result_of("ac", Verdict::equal, ""), broken("tp=2")};
  EXPECT_EQ(render_builds(kNames, std::vector<PlanResult>{first, second}),
            "  case  torch 2.11.0  torch 2.15.0\n"
            "  tp=2  equal         fails in apply\n"
            "  tp=4  equal         not run\n"
            "3 cases on 2 builds: 1 with one verdict on all, 2 with several\n");
  EXPECT_EQ(render_builds(kNames, std::vector<PlanResult>{first, first}),
            "3 cases on 2 builds: 3 with one verdict on all, 0 with several\n");
}

}  // namespace
}  // namespace ordercheck
