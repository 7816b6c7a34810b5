#include "matrix/run_plan.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"
#include "unit/rules/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

class RunPlan : public testing::Test {
 protected:
  RunPlan() { runner_.corrupt("fsdp=2,tp=2", fail_in_apply); }

  void TearDown() override { std::filesystem::remove_all(values_); }

  PlanResult run(const std::vector<std::string>& stacks) {
    Plan plan{.engine = "native", .cases = {}, .not_planned = {}};
    for (const auto& stack : stacks) plan.cases.push_back({{.stack = *parse_stack(stack)}, {{SourceKind::legal, ""}}});
    auto result = run_plan(plan, runner_, sample_rules(), recommend_, {.values_folder = values_, .on_progress = {}});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *result : PlanResult{};
  }

  FakeRunner runner_;
  Recommend recommend_;
  std::filesystem::path values_ = std::filesystem::path(testing::TempDir()) /
                                  ("run_plan_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(RunPlan, LegalOrdersAreEqualAndWhatWasPredictedFails) {
  const auto result = run({"fsdp=2,tp=2", "tp=2,ac,fsdp=2", "tp=2,fsdp=2"});
  ASSERT_EQ(result.cases.size(), 3u);
  EXPECT_EQ(result.cases[0].outcome.seen.verdict, Verdict::fails);
  EXPECT_EQ(result.cases[1].outcome.seen.verdict, Verdict::equal) << result.cases[1].outcome.seen.message;
  EXPECT_EQ(result.cases[1].outcome.seen.effects.size(), 3u);
  const Tally tally = tally_of(result);
  EXPECT_EQ(tally.confirmed, 3);
  EXPECT_EQ(tally.contradictions, 0);
  EXPECT_EQ(tally.controls_failed, 0);
  EXPECT_THAT(tally.verdicts, testing::ElementsAre(std::pair(Verdict::equal, 2), std::pair(Verdict::fails, 1)));
}

TEST_F(RunPlan, TellsWithoutWhichItemAStackIsRight) {
  runner_.corrupt("tp=2,ac,fsdp=2", fail_in_apply);
  runner_.corrupt("tp=2,fsdp=2", fail_in_apply);
  const CaseResult result = run({"tp=2,ac,fsdp=2"}).cases.at(0);
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::fails);
  EXPECT_THAT(result.right_without, testing::ElementsAre("tp=2", "fsdp=2")) << "without ac it fails as well";
}

TEST_F(RunPlan, QuickRunsTheStackTwiceAndItsReferenceAlone) {
  for (const char* stack : {"tp=2,ac,fsdp=2", "fsdp=2"}) {
    FakeRunner runner;
    runner.corrupt("fsdp=2", corrupt_gradient);
    const Plan plan{.engine = "native", .cases = {{{.stack = *parse_stack(stack)}, {}}}, .not_planned = {}};
    const auto result = run_plan(plan, runner, sample_rules(), recommend_, {.values_folder = values_, .quick = true});
    ASSERT_TRUE(result);
    const CaseResult& one = result->cases.at(0);
    EXPECT_EQ(one.outcome.seen.verdict, std::string_view(stack) == "fsdp=2" ? Verdict::differs : Verdict::equal);
    EXPECT_EQ(runner.seen.size(), 3u);
    EXPECT_THAT(one.left_out, HasSubstr("other seeds and grids"));
    EXPECT_THAT(print(one.outcome.seen.effects.at(0).signs), HasSubstr("the stack without it was not run"));
    EXPECT_THAT(result->controls, testing::IsEmpty());
  }
  EXPECT_EQ(run({"tp=2,ac,fsdp=2"}).cases.at(0).left_out, "");
}

TEST_F(RunPlan, ARecordedDigestIsTheSecondRun) {
  const Plan plan{.engine = "native", .cases = {{{.stack = *parse_stack("tp=2,fsdp=2")}, {}}}, .not_planned = {}};
  const auto verdict_and_runs = [&](const Record& recorded) {
    runner_.seen.clear();
    const auto result = run_plan(plan, runner_, sample_rules(), recommend_,
                                 {.values_folder = values_, .recorded_digests = {{"tp=2,fsdp=2", digest(recorded)}}});
    return std::pair(result->cases.at(0).outcome.seen.verdict, runner_.seen.size());
  };
  Record recorded = honest_record(plan.cases[0].subject);
  const auto [verdict, runs] = verdict_and_runs(recorded);
  EXPECT_EQ(verdict, Verdict::equal);
  bend_gradient(recorded);
  EXPECT_EQ(verdict_and_runs(recorded), std::pair(Verdict::equal, runs + 1));
  // Another record each time: the recorded digest hides nothing.
  runner_.corrupt("tp=2,fsdp=2", [](Record& record, const Request& request) {
    if (request.turn % 2 == 1) bend_gradient(record);
  });
  EXPECT_EQ(verdict_and_runs(recorded).first, Verdict::unstable);
}

TEST_F(RunPlan, SaysNothingOfItWhereAStackIsRightOrAnItemChangesNumbers) {
  EXPECT_THAT(run({"tp=2,fsdp=2"}).cases.at(0).right_without, testing::IsEmpty());
  runner_.corrupt("tp=2,optimizer=sgd", fail_in_apply);
  EXPECT_THAT(run({"tp=2,optimizer=sgd"}).cases.at(0).right_without, testing::ElementsAre("tp=2"))
      << "without the optimizer another reference is owed";
}

TEST_F(RunPlan, TheSubjectIsReallyRunTwiceAndReferencesOnce) {
  run({"tp=2", "tp=4"});
  const auto runs = [&](const std::string& text) {
    return std::ranges::count_if(runner_.seen, [&](const Request& r) { return print(r.run.subject) == text; });
  };
  EXPECT_EQ(runs("tp=2"), 2);
  EXPECT_EQ(runs("(nothing)"), 1);  // reference of both, and twin of both
  EXPECT_EQ(runs("tp=2 arithmetic=plain"), 1);
}

void leave_range(Record& record, const Request& request) {
  if (request.run.keep == Keep::values) return;  // goes on, and has numbers
  const int ranks = record.world_size;
  record = Record{.case_text = record.case_text, .engine = "native", .ending = Ending::out_of_range, .world_size = ranks};
  record.failure = Failure{.phase = Phase::forward, .message = "sum too large"};
}

TEST_F(RunPlan, AModelOfTheUsersThatLeavesTheRangeRunsOnACoarserGrid) {
  for (const char* stack : {"", "tp=2"})
    runner_.corrupt(stack, [](Record& record, const Request& request) {
      if (request.run.subject.settings.grid == Settings{}.grid) leave_range(record, request);
    });
  const auto judged = [&](const std::string& model) {
    const Plan plan{.engine = "native", .cases = {{{.stack = *parse_stack("tp=2"), .model = model}, {}}}, .not_planned = {}};
    return run_plan(plan, runner_, sample_rules(), recommend_, {.values_folder = values_})->cases.at(0);
  };
  const CaseResult own = judged("mine:net");
  EXPECT_EQ(own.outcome.seen.verdict, Verdict::equal) << own.outcome.seen.message;
  EXPECT_EQ(print(own.outcome.subject), "tp=2 model=mine:net grid=16");
  EXPECT_THAT(own.record.notes, testing::Contains(HasSubstr("on the grid 2^-16: on 2^-20 the single-rank reference leaves")));
  EXPECT_EQ(judged("llama").outcome.seen.verdict, Verdict::unrun);
}

TEST_F(RunPlan, ARangeExitDiffersAndTheRunThatGoesOnNamesWhatIsFirst) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    corrupt_gradient(record, request);
    leave_range(record, request);
  });
  const auto result = run({"tp=2"}).cases.at(0);
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::differs) << result.outcome.seen.message;
  EXPECT_EQ(result.persistence, "also with seed 2, also on the grid 2^-18");
  ASSERT_TRUE(result.outcome.seen.difference);
  EXPECT_EQ(result.outcome.seen.difference->what, "gradient of layers.0.attention.wq.weight");
  EXPECT_THAT(result.outcome.seen.message,
              HasSubstr("what differs first is the gradient of layers.0.attention.wq.weight of step 0"));
}

TEST_F(RunPlan, ARangeExitWithTheSecondSeedAloneIsThatDifferenceToo) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    corrupt_gradient(record, request);
    if (request.run.subject.settings.seed == 2) leave_range(record, request);
  });
  EXPECT_EQ(run({"tp=2"}).cases.at(0).outcome.seen.verdict, Verdict::differs);
}

// What is in range again with the second seed and has every bit of one rank shows nothing.
TEST_F(RunPlan, ARangeExitThatIsNotThereWithTheSecondSeedIsUnstable) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    if (request.run.subject.settings.seed == 1) leave_range(record, request);
  });
  const auto result = run({"tp=2"}).cases.at(0);
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::unstable);
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("not there with seed 2"));
}

TEST_F(RunPlan, AFailingCaseIsNotRunAgain) {
  run({"fsdp=2,tp=2"});
  EXPECT_TRUE(
      std::ranges::none_of(runner_.seen, [](const Request& r) { return print(r.run.subject) == "fsdp=2,tp=2" && r.turn > 0; }));
}

TEST_F(RunPlan, ADifferenceThatPersistsIsAContradictionWithItsFirstTensor) {
  std::filesystem::create_directories(values_);
  const auto file_of = [&](const char* name, double third) {
    const std::string path = (values_ / name).string();
    const double values[4] = {1.0, 2.0, third, 4.0};
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), sizeof values);
    return path;
  };
  const std::string good = file_of("good", 3.0), bad = file_of("bad", std::nextafter(std::nextafter(3.0, 4.0), 4.0));
  const auto trace = [](const std::string& second) {
    return std::vector<TraceEntry>{
        {.step = 0, .module = "layers.0", .hash = hash_of("same"), .file = "unread"},
        {.step = 0, .module = "layers.1", .hash = hash_of(second), .file = second},
        {.step = 0, .phase = Phase::backward, .module = "layers.1", .hash = hash_of("later " + second), .file = second},
        {.step = 0,
         .phase = Phase::backward,
         .module = "gradient of layers.0.attention.wq.weight",
         .hash = hash_of(second),
         .file = second}};
  };
  runner_.corrupt("tp=2", [&](Record& record, const Request& request) {
    corrupt_gradient(record, request);
    if (request.run.keep == Keep::values) record.trace = trace(bad);
  });
  runner_.corrupt("", [&](Record& record, const Request& request) {
    if (request.run.keep == Keep::values) record.trace = trace(good);
  });
  const auto all = run({"tp=2"});
  const CaseResult& result = all.cases.at(0);
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::differs);
  EXPECT_EQ(result.outcome.agreement, Agreement::contradiction);
  EXPECT_EQ(result.persistence, "also with seed 2, also on the grid 2^-18");
  ASSERT_TRUE(result.divergence);
  EXPECT_EQ(*result.divergence, (Divergence{.step = 0,
                                            .phase = Phase::forward,
                                            .module = "layers.1",
                                            .ulp = 2,
                                            .elements = 4,
                                            .differing = 1,
                                            .owed_largest = 4,
                                            .got_largest = 4,
                                            .apart = 8.8817841970012523e-16}));
  EXPECT_THAT(
      result.outcome.seen.message,
      testing::StartsWith("gradient of layers.0.attention.wq.weight of step 0 is not that of the single-rank reference ("));
  EXPECT_THAT(result.outcome.seen.message, HasSubstr("; max |grad| 4 against 4, up to 8.88e-16 apart"));
  EXPECT_THAT(result.outcome.seen.message,
              testing::EndsWith("; it is no rounding: on coarser grids layers.1 is no further apart"));
  EXPECT_EQ(tally_of(all).contradictions, 1);
}

TEST_F(RunPlan, ADifferenceThatDoesNotPersistIsUnstable) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    if (request.run.subject.settings.grid == 20) corrupt_gradient(record, request);
  });
  const CaseResult result = run({"tp=2"}).cases.at(0);
  EXPECT_EQ(result.outcome.seen.verdict, Verdict::unstable);
  EXPECT_EQ(result.outcome.agreement, Agreement::undecided);
  EXPECT_EQ(result.persistence, "not there on the grid 2^-18");
}

TEST_F(RunPlan, UnlikeItselfIsUnstable) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    if (request.turn == 1) corrupt_gradient(record, request);
  });
  EXPECT_EQ(run({"tp=2"}).cases.at(0).outcome.seen.verdict, Verdict::unstable);
}

TEST_F(RunPlan, ATransformWithoutEffectIsIgnored) {
  runner_.corrupt("ac,tp=2", [](Record& record, const Request&) { record.counters.operators_recomputed = 0; });
  const auto result = run({"ac,tp=2"});
  EXPECT_EQ(result.cases.at(0).outcome.seen.verdict, Verdict::ignored);
  EXPECT_EQ(result.cases.at(0).outcome.agreement, Agreement::contradiction);
}

TEST_F(RunPlan, TheRecommendedOrderIsComparedOnTheSameMesh) {
  recommend_ = [](const Stack& stack) -> std::optional<Stack> {
    return print(stack) == "ac,tp=2" ? *parse_stack("tp=2,ac") : stack;
  };
  run({"ac,tp=2"});
  EXPECT_TRUE(std::ranges::any_of(runner_.seen, [](const Request& r) { return print(r.run.subject) == "tp=2,ac"; }));
}

TEST_F(RunPlan, WhatTheEngineDeclinesIsNotPlanned) {
  runner_.corrupt("tp=3", [](Record& record, const Request&) {
    record.ending = Ending::unsupported;
    record.failure = Failure{.message = "no degree 3"};
  });
  const auto result = run({"tp=2", "tp=3"});
  EXPECT_EQ(result.cases.size(), 1u);
  ASSERT_EQ(result.plan.not_planned.size(), 1u);
  EXPECT_EQ(result.plan.not_planned[0].reason, "the native engine declines it: no degree 3");
}

TEST_F(RunPlan, TheControlFailsWhenPlainArithmeticDiffersNowhere) {
  for (const char* stack : {"tp=2", "fsdp=2"})
    runner_.corrupt(stack, [](Record& record, const Request& request) {
      Case exact = request.run.subject;
      exact.settings.arithmetic = Arithmetic::exact;
      record = honest_record(exact);
    });
  const auto result = run({"tp=2", "fsdp=2"});
  EXPECT_EQ(tally_of(result).controls_failed, 1);
  EXPECT_FALSE(result.controls.at(0).held);
  EXPECT_EQ(result.controls.at(0).evidence, "0 of 2 legal layouts differ from the single-rank reference without the grid");
  EXPECT_TRUE(result.controls.at(1).held);
  EXPECT_TRUE(result.controls.at(2).held);
}

TEST_F(RunPlan, TheControlFailsWhenTheThresholdNeverBinds) {
  EXPECT_TRUE(run({"tp=2"}).controls.at(3).held);
  runner_.corrupt("optimizer=adamw:clip=0.03125", [](Record& record, const Request& request) {
    Case unclipped = request.run.subject;
    unclipped.stack.items.clear();
    record = honest_record(unclipped);
  });
  const auto result = run({"tp=2"});
  EXPECT_FALSE(result.controls.at(3).held);
  EXPECT_EQ(result.controls.at(3).evidence, "no gradient reaches the threshold: parameters are the same without it");
}

// Equal numbers, but a counter that is another every time: the evidence could not be checked against it.
TEST_F(RunPlan, TheControlFailsWhenACounterIsNotRepeatable) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) { record.counters.saved_bytes_peak += request.turn; });
  const auto result = run({"tp=2", "tp=4"});
  EXPECT_EQ(result.cases.at(0).outcome.seen.verdict, Verdict::equal);
  EXPECT_FALSE(result.controls.at(1).held);
  EXPECT_EQ(result.controls.at(1).evidence, "1 of 2 records has the digest of its second run; the first that has not is tp=2");
}

void end_unstarted(Record& record) {
  record =
      Record{.case_text = record.case_text, .engine = "native", .ending = Ending::unstarted, .world_size = record.world_size};
  record.failure = Failure{.message = "the worker was changed"};
}

TEST_F(RunPlan, NothingFollowsFromARunThatCouldNotBeStarted) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    if (request.turn == 1) end_unstarted(record);
  });
  runner_.corrupt("fsdp=2", [](Record& record, const Request& request) {
    corrupt_gradient(record, request);
    if (request.run.subject.settings.seed == 2) end_unstarted(record);
  });
  const auto result = run({"tp=2", "fsdp=2"});
  const Observation &second = result.cases.at(0).outcome.seen, &variant = result.cases.at(1).outcome.seen;
  EXPECT_EQ(second.verdict, Verdict::unrun);
  EXPECT_THAT(second.message, HasSubstr("completed once; then unstarted (build): the worker was changed"));
  EXPECT_EQ(variant.verdict, Verdict::unrun);
  EXPECT_THAT(variant.message, HasSubstr("with seed 2 it could not be run: unstarted (build): the worker was changed"));
}

TEST_F(RunPlan, ALegalLayoutThatDoesNotCompleteWithoutTheGridTellsNothingOfIt) {
  runner_.corrupt("tp=2", [](Record& record, const Request& request) {
    if (request.run.subject.settings.arithmetic == Arithmetic::plain) fail_in_apply(record, request);
  });
  const auto result = run({"tp=2"});
  EXPECT_FALSE(result.controls.at(0).judged);
  EXPECT_EQ(tally_of(result).controls_failed, 0);
}

TEST_F(RunPlan, ControlsThatHaveNothingToJudgeByNeitherHoldNorFail) {
  Plan plan{.engine = "native",
            .cases = {{{.stack = *parse_stack("fsdp=2,tp=2")}, {{SourceKind::witness, "ORD-901 bad"}}}},
            .not_planned = {}};
  const auto result = run_plan(plan, runner_, sample_rules(), recommend_, {.values_folder = values_, .on_progress = {}});
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->controls.size(), 4u);
  for (const Control& control : result->controls) EXPECT_FALSE(control.judged || control.held) << control.name;
  EXPECT_EQ(result->controls[0].evidence, "no legal layout among the cases");
  EXPECT_EQ(tally_of(*result).controls_failed, 0);
}

TEST_F(RunPlan, ABrokenEngineIsAnError) {
  runner_.broken = true;
  Plan plan{.engine = "native", .cases = {{{.stack = *parse_stack("tp=2")}, {}}}, .not_planned = {}};
  EXPECT_FALSE(run_plan(plan, runner_, {}, recommend_, {}));
}

}  // namespace
}  // namespace ordercheck
