#include "report/text/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/counters.h"
#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Observation seen(const char* engine, const char* case_text, Verdict verdict, std::int64_t flops = 0) {
  return {
      .engine = engine, .version = "2.11.0", .case_text = case_text, .verdict = verdict, .counters = {.matmul_flops = flops}};
}

Stack stack(const char* text) { return *parse_stack(text); }

TEST(CountersApart, AreThoseThatDifferAndNoSums) {
  const CounterValues left{
      {"matmul_flops", 5}, {"graph_breaks", 0}, {"all_gather", 3}, {"all_gather@tp", 1}, {"all_gather@dp_shard", 2}};
  const CounterValues right{{"matmul_flops", 5}, {"graph_breaks", 2}, {"all_gather", 1}, {"all_gather@tp", 1}};
  EXPECT_THAT(counters_apart(left, right),
              ElementsAre(CounterApart{"all_gather@dp_shard", 2, 0}, CounterApart{"graph_breaks", 0, 2}));
  EXPECT_THAT(counters_apart(left, left), IsEmpty());
}

TEST(CountersApart, WhatWasNotMeasuredIsNotTheSame) {
  const CounterValues left{{"graph_breaks", kNotMeasured}, {"matmul_flops", kNotMeasured}},
      right{{"graph_breaks", 0}, {"matmul_flops", kNotMeasured}};
  const auto apart = counters_apart(left, right);
  EXPECT_THAT(apart, ElementsAre(CounterApart{"graph_breaks", kNotMeasured, 0},
                                 CounterApart{"matmul_flops", kNotMeasured, kNotMeasured}));
  std::vector<TableLine> lines;
  add_counters(apart, lines);
  EXPECT_EQ(render_table(lines),
            "  graph_breaks  not measured  measured here alone\n  matmul_flops  not measured  not measured\n");
}

TEST(SeenOf, FindsBothWithTheDegreesThatTheyRunAs) {
  const std::vector<Observation> all{seen("native", "ac,fsdp=2", Verdict::equal, 1),
                                     seen("native", "fsdp=2,ac", Verdict::equal, 2),
                                     seen("native", "fsdp=2,ac accumulation=4", Verdict::differs),
                                     seen("pytorch", "fsdp=2,ac engine=pytorch", Verdict::hangs)};
  const auto both = seen_of(stack("ac,fsdp"), stack("fsdp,ac"), all);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].left, &all[0]);
  EXPECT_EQ(both[0].right, &all[1]);
  EXPECT_THAT(both[0].apart, ElementsAre(CounterApart{"matmul_flops", 1, 2}));
  EXPECT_EQ(both[1].left, nullptr);
  EXPECT_EQ(both[1].right, &all[3]);
  EXPECT_THAT(seen_of(stack("tp"), stack("cp"), all), IsEmpty());
}

TEST(SeenOf, TellsWhatAReleaseShowedOnEachReleaseOfPyTorch) {
  std::vector<Observation> all{seen("torchtitan", "ac engine=torchtitan", Verdict::equal),
                               seen("torchtitan", "ac engine=torchtitan", Verdict::differs),
                               seen("torchtitan", "sac engine=torchtitan", Verdict::equal)};
  all[0].on = all[2].on = "torch 2.11.0";
  all[1].on = "torch 2.15.0";
  const auto both = seen_of(stack("ac"), stack("sac"), all);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(describe(both),
            "torchtitan 2.11.0 on torch 2.11.0 showed equal either way; "
            "torchtitan 2.11.0 on torch 2.15.0 showed differs, the other way not run");
}

TEST(SeenOf, NamesEnginesThatShowedTheSameOnce) {
  std::vector<Observation> all{seen("native", "ac", Verdict::equal), seen("native", "sac", Verdict::equal),
                               seen("pytorch", "ac engine=pytorch", Verdict::equal),
                               seen("pytorch", "sac engine=pytorch", Verdict::equal)};
  EXPECT_EQ(describe(seen_of(stack("ac"), stack("sac"), all)), "native 2.11.0, pytorch 2.11.0 showed equal either way");
  all[3].verdict = Verdict::differs;
  EXPECT_EQ(describe(seen_of(stack("ac"), stack("sac"), all)),
            "native 2.11.0 showed equal either way; pytorch 2.11.0 showed equal, the other way differs");
}

TEST(SeenOf, ComparesNoCountersOfARunThatDidNotEnd) {
  const std::vector<Observation> all{seen("native", "ac", Verdict::equal, 1), seen("native", "tp=2", Verdict::fails, 0)};
  EXPECT_THAT(seen_of(stack("ac"), stack("tp"), all).front().apart, IsEmpty());
}

TEST(SeenOf, IsToldInOneClause) {
  const std::vector<Observation> all{seen("native", "ac", Verdict::equal), seen("native", "sac", Verdict::equal)};
  EXPECT_EQ(describe(seen_of(stack("ac"), stack("sac"), all)), "native 2.11.0 showed equal either way");
  EXPECT_EQ(describe(seen_of(stack("ac"), stack("tp"), all)), "native 2.11.0 showed equal, the other way not run");
  EXPECT_EQ(render_table(table_of(seen_of(stack("ac"), stack("sac"), all).front(), "ac", "sac")),
            "  native 2.11.0  ac        sac\n"
            "  verdict        equal     equal\n"
            "  counters       the same\n");
}

TEST(RenderTable, AlignsItsColumns) {
  const std::vector<Observation> all{seen("native", "ac", Verdict::equal, 12), seen("native", "sac", Verdict::ignored, 3)};
  EXPECT_EQ(render_table(table_of(seen_of(stack("ac"), stack("sac"), all).front(), "ac", "sac")),
            "  native 2.11.0  ac     sac\n"
            "  verdict        equal  ignored\n"
            "  matmul_flops   12     3\n");
}

TEST(SeenOf, SaysWhoseGraphsRan) {
  std::vector<Observation> all{seen("pytorch", "compile,sac engine=pytorch", Verdict::ignored),
                               seen("pytorch", "sac,compile engine=pytorch", Verdict::equal)};
  all[0].backend = "with inductor's code generation; without it equal";
  EXPECT_THAT(render_table(table_of(seen_of(stack("compile,sac"), stack("sac,compile"), all).front(), "left", "right")),
              testing::HasSubstr("compiled        with inductor's code generation; without it equal"));
}

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
  EXPECT_THAT(text, HasSubstr("  The difference is not noise: no sum rounds in exact arithmetic.\n"));
}

TEST(TwoRuns, ThatAreCloseDifferByNoise) {
  CaseResult left = result_of("tp=2"), right = result_of("tp=2");
  right.record.parameters[0].gradient[0] = Hash128{1, 2};
  const auto judged = [&](Verdict one, Verdict other) {
    for (CaseResult* result : {&left, &right}) result->outcome.subject.settings.arithmetic = Arithmetic::float32;
    left.outcome.seen.verdict = one;
    right.outcome.seen.verdict = other;
    return rendered(left, right);
  };
  EXPECT_THAT(judged(Verdict::close, Verdict::close), HasSubstr("The difference is noise: "));
  EXPECT_THAT(judged(Verdict::close, Verdict::differs), HasSubstr("The difference is not noise: "));
  EXPECT_THAT(judged(Verdict::close, Verdict::unrun), HasSubstr("is not decided"));
}

TEST(TwoRuns, CompareNoNumbersOfARunThatFailed) {
  CaseResult right = result_of("fsdp=2,tp=2");
  break_in_apply(right.record);
  right.outcome.seen = {.verdict = Verdict::fails, .phase = Phase::apply, .message = "mixed tensors"};
  const std::string text = rendered(result_of("tp=2,fsdp=2"), right);
  EXPECT_THAT(text, HasSubstr("fails in apply"));
  EXPECT_THAT(text, HasSubstr("not both runs completed"));
  EXPECT_THAT(text, Not(HasSubstr("matmul_flops")));
}

}  // namespace
}  // namespace ordercheck
