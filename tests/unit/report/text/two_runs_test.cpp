#include "report/text/two_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/parity/honest_record.h"
#include "unit/protocol/sample_hello.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

CaseResult result_of(const char* text) {
  const Case subject{.stack = *parse_stack(text)};
  CaseResult result{.planned = {.subject = subject, .sources = {}}, .record = honest_record(subject)};
  result.outcome.subject = subject;
  result.outcome.seen = {
      .verdict = Verdict::equal, .counters = result.record.counters, .collectives = result.record.collectives};
  result.outcome.prediction.verdict = Verdict::equal;
  result.outcome.agreement = Agreement::confirmed;
  return result;
}

std::string rendered(const CaseResult& left, const CaseResult& right) { return render_two_runs(left, right, sample_hello()); }

TEST(TwoRuns, TellCountersAndCollectivesThatDiffer) {
  const std::string text = rendered(result_of("tp=2,ac"), result_of("tp=2,fsdp=2"));
  EXPECT_THAT(text, HasSubstr("  native (libtorch 2.11.0) "));
  EXPECT_THAT(text, HasSubstr("  operators_recomputed "));
  EXPECT_THAT(text, HasSubstr("  all_gather@dp_shard "));
  EXPECT_THAT(text, Not(HasSubstr("all_reduce@tp")));  // the same on both sides
  EXPECT_THAT(text, HasSubstr("have the same bits"));
}

TEST(TwoRuns, SayWhereTheNumbersPart) {
  CaseResult right = result_of("tp=2,ac");
  right.record.parameters[0].gradient[0] = Hash128{1, 2};
  right.outcome.seen.verdict = Verdict::differs;
  right.outcome.seen.message = "another gradient";
  right.divergence =
      Divergence{.step = 0, .phase = Phase::backward, .module = "layers.0", .ulp = 3, .elements = 9, .differing = 2};
  const std::string text = rendered(result_of("tp=2,ac"), right);
  EXPECT_THAT(text, HasSubstr("counters                  the same\n"));
  EXPECT_THAT(text,
              HasSubstr("layers.0 of step 0, backward: max |grad| 0 against 0, 2 of 9 numbers differ by up to 0 (3 ULP)"));
  EXPECT_THAT(text, HasSubstr("  right: another gradient\n"));
  EXPECT_THAT(text, HasSubstr("Left and right part first here: gradient of " + right.record.parameters[0].name +
                              " of step 0 is not that of the left"));
}

TEST(TwoRuns, CompareNoNumbersOfARunThatFailed) {
  CaseResult right = result_of("fsdp=2,tp=2");
  break_in_apply(right.record);
  right.outcome.seen = {.verdict = Verdict::fails, .phase = Phase::apply, .message = "mixed tensors"};
  const std::string text = rendered(result_of("tp=2,fsdp=2"), right);
  EXPECT_THAT(text, HasSubstr("fails in apply"));
  EXPECT_THAT(text, HasSubstr("not both completed"));
  EXPECT_THAT(text, Not(HasSubstr("matmul_flops")));
}

}  // namespace
}  // namespace ordercheck
