#include "matrix/builds_beside.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

const std::vector<std::string> kNames{"torch 2.11.0", "torch 2.15.0"};

Outcome outcome(const std::string& stack, Verdict verdict, const std::string& reason) {
  const Case c{.stack = *parse_stack(stack)};
  Outcome made{.planned = {.subject = c, .sources = {}}, .record = honest_record(c)};
  made.judgement = {.verdict = verdict, .reason = reason};
  return made;
}

Outcome broken(const std::string& stack) {
  Outcome made = outcome(stack, Verdict::fails, "failed (apply): mixed tensors\nand more");
  fail_in_apply(made.record, {});
  return made;
}

TEST(BuildsBeside, BuildsOfOneVerdictAreHeldAgainstEachOtherBitForBit) {
  const Outcome one = outcome("tp=2", Verdict::equal, "as owed");
  EXPECT_EQ(render_builds(kNames, std::vector<Outcome>{one, one}),
            "  torch 2.11.0  equal  as owed\n"
            "  torch 2.15.0  equal  as owed\n"
            "All 2 agree: equal. Every loss, gradient, norm and parameter has the same bits.\n");
  Outcome other = one;
  corrupt_gradient(other.record, {});
  const std::string text = render_builds(kNames, std::vector<Outcome>{one, other});
  EXPECT_NE(text.find("The numbers are not the same: torch 2.11.0 and torch 2.15.0 part first at the gradient"),
            std::string::npos)
      << text;
}

TEST(BuildsBeside, OtherVerdictsDoNotAgreeAndNoBitsAreSpokenOf) {
  EXPECT_EQ(render_builds(kNames, std::vector<Outcome>{outcome("tp=2", Verdict::equal, "as owed"), broken("tp=2")}),
            "  torch 2.11.0  equal           as owed\n"
            "  torch 2.15.0  fails in apply  failed (apply): mixed tensors\n"
            "They do not agree.\n");
}

TEST(BuildsBeside, OfAMatrixOnlyWhatIsNotTheSameEverywhereIsListed) {
  MatrixResult first, second;
  first.outcomes = {outcome("ac", Verdict::equal, ""), outcome("tp=2", Verdict::equal, ""),
                    outcome("tp=4", Verdict::equal, "")};
  second.outcomes = {outcome("ac", Verdict::equal, ""), broken("tp=2")};
  EXPECT_EQ(render_builds(kNames, std::vector<MatrixResult>{first, second}),
            "  case  torch 2.11.0  torch 2.15.0\n"
            "  tp=2  equal         fails in apply\n"
            "  tp=4  equal         not run\n"
            "3 cases on 2 builds: 1 with one verdict on all, 2 with several\n");
  EXPECT_EQ(render_builds(kNames, std::vector<MatrixResult>{first, first}),
            "3 cases on 2 builds: 3 with one verdict on all, 0 with several\n");
}

}  // namespace
}  // namespace ordercheck
