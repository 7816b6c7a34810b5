#include "matrix/two_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome outcome_of(const char* text) {
  Outcome outcome{.planned = {.subject = {.stack = *parse_stack(text)}, .sources = {}}};
  outcome.record = honest_record(outcome.planned.subject);
  outcome.judgement.verdict = Verdict::equal;
  outcome.prediction.verdict = Verdict::equal;
  outcome.agreement = Agreement::confirmed;
  return outcome;
}

std::string rendered(const Outcome& left, const Outcome& right) { return render_two_runs(left, right, FakeRunner().hello()); }

TEST(TwoRuns, TellCountersAndCollectivesThatDiffer) {
  const std::string text = rendered(outcome_of("tp=2,ac"), outcome_of("tp=2,fsdp=2"));
  EXPECT_THAT(text, HasSubstr("  native (libtorch 2.11.0) "));
  EXPECT_THAT(text, HasSubstr("  operators_recomputed "));
  EXPECT_THAT(text, HasSubstr("  all_gather@dp_shard "));
  EXPECT_THAT(text, Not(HasSubstr("all_reduce@tp")));  // the same on both sides
  EXPECT_THAT(text, HasSubstr("have the same bits"));
}

TEST(TwoRuns, SayWhereTheNumbersPart) {
  Outcome right = outcome_of("tp=2,ac");
  right.record.parameters[0].gradient[0] = Hash128{1, 2};
  right.judgement = {.verdict = Verdict::differs, .reason = "another gradient"};
  right.divergence =
      Divergence{.step = 0, .phase = Phase::backward, .module = "layers.0", .ulp = 3, .elements = 9, .differing = 2};
  const std::string text = rendered(outcome_of("tp=2,ac"), right);
  EXPECT_THAT(text, HasSubstr("counters                  the same\n"));
  EXPECT_THAT(text,
              HasSubstr("layers.0 of step 0, backward: max |grad| 0 against 0, 2 of 9 numbers differ by up to 0 (3 ULP)"));
  EXPECT_THAT(text, HasSubstr("  right: another gradient\n"));
  EXPECT_THAT(text, HasSubstr("Left and right part first here: gradient of " + right.record.parameters[0].name +
                              " of step 0 is not that of the left"));
}

TEST(TwoRuns, CompareNoNumbersOfARunThatFailed) {
  Outcome right = outcome_of("fsdp=2,tp=2");
  fail_in_apply(right.record, {});
  right.judgement = {.verdict = Verdict::fails, .reason = "mixed tensors"};
  const std::string text = rendered(outcome_of("tp=2,fsdp=2"), right);
  EXPECT_THAT(text, HasSubstr("fails in apply"));
  EXPECT_THAT(text, HasSubstr("not both completed"));
  EXPECT_THAT(text, Not(HasSubstr("matmul_flops")));
}

}  // namespace
}  // namespace ordercheck
