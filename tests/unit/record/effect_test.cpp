#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/counters.h"
#include "record/verdict_of_runs.h"
#include "stack/notation.h"
#include "stack/transforms.h"
#include "unit/record/shown_effect.h"

namespace ordercheck {
namespace {

TEST(Effect, CheckpointingRecomputesAndSavesLess) {
  Record with = sample_record();
  with.counters.operators_recomputed = 118;
  with.counters.saved_bytes_peak = 100;
  const auto shown = effect("ac", with, sample_record());
  EXPECT_TRUE(shown.present);
  EXPECT_EQ(shown.transform, "ac");
  EXPECT_EQ(print(shown.signs), "118 operators recomputed, 0 without it; bytes saved for backward 100, 400 without it");
  with.counters.saved_bytes_peak = 400;
  EXPECT_FALSE(effect("ac", with, sample_record()).present);
  EXPECT_FALSE(effect("ac", sample_record(), sample_record()).present);
}

TEST(Effect, TensorParallelSplitsEveryProductAndTalks) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  with.collectives = {{.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4},
                      {.kind = "all_reduce", .group = "tp", .phase = Phase::backward, .count = 4}};
  EXPECT_TRUE(effect("tp=2", with, sample_record()).present);
  Record gathers_everything = with;
  gathers_everything.counters.matmul_flops = 960;
  const auto missing = effect("tp=2", gathers_everything, sample_record());
  EXPECT_FALSE(missing.present);
  EXPECT_THAT(print(missing.signs), testing::HasSubstr("missing: 960 of 960 matmul flops, expected 1/2"));
  Record silent = with;
  silent.collectives.pop_back();
  EXPECT_FALSE(effect("tp=2", silent, sample_record()).present);
}

// 24 key/value heads cannot be split into 5 equal parts: rank 0 has 5 of them.
TEST(Effect, AnUnevenSplitGivesTheFirstRankALongerPart) {
  Record with = sample_record(5);
  with.counters.matmul_flops = 200;
  with.collectives = {{.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4},
                      {.kind = "all_reduce", .group = "tp", .phase = Phase::backward, .count = 4}};
  EXPECT_TRUE(effect("tp=5", with, sample_record()).present);
  with.counters.matmul_flops = 191;
  EXPECT_FALSE(effect("tp=5", with, sample_record()).present);
  with.counters.matmul_flops = 960;
  EXPECT_FALSE(effect("tp=5", with, sample_record()).present);
}

TEST(Effect, ShardingGathersScattersAndHoldsLess) {
  Record with = sharded();
  with.counters.parameter_bytes_peak = 1200;
  EXPECT_TRUE(effect("fsdp=2", with, sample_record()).present);
  // One shard and everything gathered at once: nothing was ever freed.
  with.counters.parameter_bytes_peak = 1500;
  EXPECT_FALSE(effect("fsdp=2", with, sample_record()).present);
  EXPECT_TRUE(effect("fsdp=2:reshard=never", with, sample_record()).present);
  with = sharded();
  with.collectives.pop_back();
  EXPECT_FALSE(effect("fsdp=2", with, sample_record()).present);
}

// 5 ranks share 4 rows: the first has one of them, a quarter.
TEST(Effect, TheFirstOfUnequalShardsIsTheLongest) {
  Record with = sharded();
  with.counters.matmul_flops = 240;
  with.counters.parameter_bytes_peak = 1250;
  EXPECT_TRUE(effect("fsdp=5:reshard=never", with, sample_record()).present);
  EXPECT_FALSE(effect("fsdp=5", with, sample_record()).present);
  with.counters.parameter_bytes_peak = 1251;
  EXPECT_FALSE(effect("fsdp=5:reshard=never", with, sample_record()).present);
}

TEST(Effect, HybridShardingAlsoReducesAcrossReplicas) {
  Record with = sharded();
  with.counters.matmul_flops = 240;
  EXPECT_FALSE(effect("hsdp=2x2", with, sample_record()).present);
  with.collectives.push_back({.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::backward, .count = 3});
  EXPECT_TRUE(effect("hsdp=2x2", with, sample_record()).present);
}

TEST(Effect, ReplicatedDataParallelReducesInBackward) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  EXPECT_FALSE(effect("ddp=2", with, sample_record()).present);
  with.collectives = {{.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::backward, .count = 1}};
  EXPECT_TRUE(effect("ddp=2", with, sample_record()).present);
}

TEST(Effect, ComposableReplicationOwesWhatDdpDoes) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  EXPECT_FALSE(effect("replicate=2", with, sample_record()).present);
  with.collectives = {{.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::backward, .count = 1}};
  EXPECT_TRUE(effect("replicate=2", with, sample_record()).present);
  with.counters.matmul_flops = 960;
  EXPECT_FALSE(effect("replicate=2", with, sample_record()).present);
}

// FSDP2 and replicate around a stage reduce when the schedule is through with it, which is in no backward.
TEST(Effect, APipelinesScheduleReducesBehindTheBackward) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  EXPECT_FALSE(effect("replicate=2,pp=2", with, sample_record()).present);
  with.collectives = {{.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::forward, .count = 1}};
  EXPECT_TRUE(effect("replicate=2,pp=2", with, sample_record()).present);
  EXPECT_FALSE(effect("replicate=2", with, sample_record()).present);
}

TEST(Effect, APlanOfTheBlocksLeavesTheOutputWhole) {
  Record with = sample_record(2);
  with.collectives = {{.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4},
                      {.kind = "all_reduce", .group = "tp", .phase = Phase::backward, .count = 4}};
  for (const auto& [flops, present] :
       std::vector<std::pair<std::int64_t, bool>>{{480, false}, {500, true}, {959, true}, {960, false}}) {
    with.counters.matmul_flops = flops;
    const Effect shown = effect("tp=2:plan=blocks", with, sample_record());
    EXPECT_EQ(shown.present, present) << print(shown.signs);
    EXPECT_THAT(print(shown.signs), testing::HasSubstr("matmul flops, expected more than 1/2"));
  }
}

TEST(Effect, APlanOfTheBlocksSplitsAllOfAFirstStageWhichHasNoOutput) {
  Record with = sample_record(4);
  with.collectives = {{.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4},
                      {.kind = "all_reduce", .group = "tp", .phase = Phase::backward, .count = 4}};
  for (const auto& [flops, present] : std::vector<std::pair<std::int64_t, bool>>{{480, true}, {500, false}, {960, false}}) {
    with.counters.matmul_flops = flops;
    const Effect shown = effect("tp=2:plan=blocks,pp=2", with, sample_record());
    EXPECT_EQ(shown.present, present) << print(shown.signs);
  }
}

TEST(Effect, AStageSendsAndHasAPartOfTheWork) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 400;
  with.counters.p2p_messages = 4;
  EXPECT_EQ(print(effect("pp=2", with, sample_record()).signs),
            "4 messages between stages; 400 of 960 matmul flops, expected a part");
  EXPECT_TRUE(effect("pp=2", with, sample_record()).present);
  with.collectives = {{.kind = "send", .group = "pp", .phase = Phase::forward, .count = 2}};
  EXPECT_THAT(print(effect("pp=2", with, sample_record()).signs), testing::HasSubstr("2 send on pp in forward"));
  for (const std::int64_t flops : {0, 960}) {
    Record idle_or_whole = with;
    idle_or_whole.counters.matmul_flops = flops;
    EXPECT_FALSE(effect("pp=2", idle_or_whole, sample_record()).present) << flops;
  }
  with.counters.p2p_messages = 0;
  EXPECT_FALSE(effect("pp=2", with, sample_record()).present);
}

TEST(Effect, WhatWasNotMeasuredIsRemarkedAndTheRestDecides) {
  Record with = sharded();
  with.counters.matmul_flops = kNotMeasured;
  with.counters.parameter_bytes_peak = kNotMeasured;
  const Effect shown = effect("fsdp=2", with, sample_record());
  EXPECT_TRUE(shown.present);
  EXPECT_EQ(print(shown.signs),
            "6 all_gather on dp_shard in forward; 3 reduce_scatter on dp_shard in backward; "
            "parameter bytes not measured by this engine; matmul flops not measured by this engine");
  with.collectives.clear();
  EXPECT_FALSE(effect("fsdp=2", with, sample_record()).present);
  EXPECT_TRUE(effect("fsdp=2", with, sample_record()).defined);
}

TEST(Effect, WithNothingMeasuredNothingIsStated) {
  Record blind = sample_record();
  blind.counters = {.operators_recomputed = kNotMeasured,
                    .operators_kept = kNotMeasured,
                    .matmul_flops_recomputed = kNotMeasured,
                    .saved_bytes_peak = kNotMeasured,
                    .graph_captures = kNotMeasured,
                    .p2p_messages = kNotMeasured};
  for (const char* stack : {"ac", "sac", "compile", "pp=2"}) {
    const Effect shown = effect(stack, blind, sample_record());
    EXPECT_FALSE(shown.defined) << stack;
    EXPECT_FALSE(shown.present) << stack;
    EXPECT_THAT(print(shown.signs), testing::HasSubstr("not measured by this engine")) << stack;
  }
  EXPECT_FALSE(effect("ac", sample_record(), blind).present) << "nor where the twin was not measured";
}

TEST(Effect, ASavingAloneShowsCheckpointingWhereOperatorsAreNotSeen) {
  Record with = sample_record();
  with.counters.operators_recomputed = kNotMeasured;
  with.counters.saved_bytes_peak = 100;
  EXPECT_TRUE(effect("ac", with, sample_record()).present);
  with.counters.saved_bytes_peak = 400;
  EXPECT_FALSE(effect("ac", with, sample_record()).present);
}

TEST(Effect, ContextParallelGathersKeysScattersTheirGradientsAndSplitsTheWork) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  with.collectives = {{.kind = "all_gather", .group = "cp", .phase = Phase::forward, .count = 4},
                      {.kind = "reduce_scatter", .group = "cp", .phase = Phase::backward, .count = 4}};
  EXPECT_TRUE(effect("cp=2", with, sample_record()).present);
  Record whole = with;
  whole.counters.matmul_flops = 960;
  EXPECT_FALSE(effect("cp=2", whole, sample_record()).present);
  Record keeps_to_itself = with;
  keeps_to_itself.collectives.clear();
  EXPECT_FALSE(effect("cp=2", keeps_to_itself, sample_record()).present);
}

TEST(Effect, ShardingGoesOverContextParallelRanksToo) {
  Record with = sample_record(8);
  with.counters.matmul_flops = 480;
  const auto on = [&](const char* group) {
    with.collectives = {{.kind = "all_gather", .group = group, .phase = Phase::forward, .count = 6},
                        {.kind = "reduce_scatter", .group = group, .phase = Phase::backward, .count = 3}};
    return with;
  };
  EXPECT_TRUE(effect("fsdp=2,cp=2,tp=2", on("dp_shard+cp"), sample_record(4)).present);
  EXPECT_FALSE(effect("fsdp=2,cp=2,tp=2", on("dp_shard"), sample_record(4)).present);
  EXPECT_TRUE(effect("fsdp=2,cp=2", on("world"), sample_record(2)).present) << "which is all that there is";
}

TEST(Effect, MixedPrecisionOfShardsGathersHalfTheBytesThatItReduces) {
  Record with = sharded();
  const auto moving = [&](std::int64_t gathered, std::int64_t reduced) {
    with.collectives[0].bytes = gathered;
    with.collectives[1].bytes = reduced;
    return effect("fsdp=2:mp=bf16", with, sample_record());
  };
  // 6 gathers of 100 bytes a rank, 200 together, and 3 reductions of as many numbers in twice the bytes.
  EXPECT_TRUE(moving(600, 1200).present);
  EXPECT_FALSE(moving(600, 600).present) << "a shard of 100 bytes and a gradient of 200: both in the same dtype";
  EXPECT_THAT(print(moving(600, 600).signs), testing::HasSubstr("gathers 200 bytes where it reduces 200, expected half"));
  EXPECT_TRUE(effect("fsdp=2", with, sample_record()).present) << "which nobody asked to cast";
}

TEST(Effect, MixedPrecisionMovesTheLoss) {
  Record with = sample_record();
  EXPECT_FALSE(effect("amp=bf16", with, sample_record()).present);
  with.steps[1].loss[0].bits ^= 1;
  const auto moved = effect("amp=bf16", with, sample_record());
  EXPECT_TRUE(moved.present);
  EXPECT_EQ(print(moved.signs), "1 of 2 losses are others than without it");
}

TEST(Effect, DegreeOneOwesNothing) {
  EXPECT_TRUE(effect("pp=1", sample_record(), sample_record()).present);
  EXPECT_TRUE(effect("replicate=1", sample_record(), sample_record()).present);
  EXPECT_TRUE(effect("tp=1", sample_record(), sample_record()).present);
  EXPECT_TRUE(effect("fsdp=1", sample_record(), sample_record()).present);
}

TEST(Effect, AMissingDegreeRunsAsTwo) { EXPECT_TRUE(effect("fsdp", sharded(), sample_record()).present); }

TEST(Effect, OptimizerChangesParametersAndCompileCaptures) {
  EXPECT_TRUE(effect("optimizer=sgd", sample_record(), sample_record()).present);
  Record still = sample_record();
  for (auto& parameter : still.parameters) parameter.changed = false;
  EXPECT_FALSE(effect("optimizer=sgd", still, sample_record()).present);
}

TEST(Effect, CompileRunsEveryProductOfItsScopeInGraphs) {
  EXPECT_FALSE(effect("compile", sample_record(), sample_record()).present);
  Record captured = sample_record();
  captured.counters.graph_captures = 2;
  EXPECT_TRUE(effect("compile", captured, sample_record()).present) << "a scope without a product";
  captured.counters.products_in_scope = 14;
  captured.counters.products_in_graphs = 14;
  captured.notes = {"compile: without inductor's code generation", "compile: graph break in layers.0: a counter is kept",
                    "tp: plan entry 'wq' matched nothing"};
  const Effect all = effect("compile", captured, sample_record());
  EXPECT_TRUE(all.present);
  EXPECT_EQ(print(all.signs),
            "2 graphs captured; 14 of 14 matrix products of its scope ran in captured graphs; without inductor's code "
            "generation");
  captured.counters.products_in_graphs = 12;
  const Effect part = effect("compile", captured, sample_record());
  EXPECT_FALSE(part.present);
  EXPECT_TRUE(part.partly);
  EXPECT_THAT(print(part.signs), testing::HasSubstr("missing: 12 of 14 matrix products of its scope ran in captured graphs"));
}

TEST(Effect, AGraphThatIsCapturedAndNeverRunCompilesNothing) {
  Record unused = sample_record();
  unused.counters.graph_captures = 2;
  unused.counters.products_in_scope = 14;
  const Effect shown = effect("compile", unused, sample_record());
  EXPECT_TRUE(shown.defined);
  EXPECT_FALSE(shown.present);
  EXPECT_FALSE(shown.partly);
  EXPECT_THAT(print(shown.signs), testing::HasSubstr("missing: 0 of 14"));
  unused.counters.products_in_scope = unused.counters.products_in_graphs = kNotMeasured;
  EXPECT_TRUE(effect("compile", unused, sample_record()).present) << "nobody counted: captures are all that is known";
}

TEST(Effect, WithoutATwinOnlyWhatTheRunShowsAloneIsJudged) {
  const auto shown = effect("fsdp=2", sharded(), std::nullopt);
  EXPECT_TRUE(shown.present);
  EXPECT_THAT(print(shown.signs), testing::HasSubstr("the stack without it did not complete"));
  Record silent = sharded();
  silent.collectives.clear();
  EXPECT_FALSE(effect("fsdp=2", silent, std::nullopt).present);
}

// One rank's table of embeddings is summed in forward, and has no collective in backward.
TEST(Effect, OfAnApplyFunctionTensorParallelTalksInEitherDirection) {
  Case c = case_of("tp=2");
  c.apply = "mine:shard";
  Record with = sample_record(2);
  EXPECT_FALSE(effect_of(c, 0, with, std::nullopt).present);
  with.collectives = {{.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4}};
  EXPECT_TRUE(effect_of(c, 0, with, std::nullopt).present);
}

TEST(Effect, OfAnApplyFunctionExpertParallelReturnsTokensInForward) {
  Case c = case_of("fsdp=2,ep=2");
  c.apply = "mine:shard";
  Record with = sharded();
  const auto sends = [&](const char* kind, Phase phase) {
    with.collectives.push_back({.kind = kind, .group = "dp_shard", .phase = phase, .count = 4});
    return effect_of(c, 1, with, std::nullopt).present;
  };
  EXPECT_FALSE(sends("all_gather", Phase::forward)) << "those of fsdp";
  EXPECT_FALSE(sends("reduce_scatter", Phase::backward)) << "those of fsdp";
  EXPECT_TRUE(sends("reduce_scatter", Phase::forward));
}

TEST(Effect, CollectivesOnAMeshThatAnApplyFunctionBuildsCount) {
  Case own = case_of("fsdp=4");
  own.apply = "mine.parallel:shard";
  Record with = sharded();
  const auto on = [&](const std::string& group) {
    for (CollectiveCount& c : with.collectives) c.group = group;
    return effect_of(own, 0, with, std::nullopt).present;
  };
  EXPECT_TRUE(on("ranks_0+1"));
  EXPECT_TRUE(on("my_shard"));
  EXPECT_FALSE(on("tp")) << "another axis";
  EXPECT_FALSE(on("world"));
  with.collectives.clear();
  EXPECT_FALSE(on("my_shard")) << "nothing was sent";
  own.apply = "";
  with = sharded();
  EXPECT_FALSE(on("ranks_0+1")) << "an engine's own transform uses the mesh of the case";
}

TEST(Effect, OfAnApplyFunctionNoStackWithoutTheItemIsSpokenOf) {
  Case own = case_of("fsdp=2");
  own.apply = "mine.parallel:shard";
  EXPECT_THAT(print(effect_of(own, 0, sharded(), std::nullopt).signs),
              testing::EndsWith("compared with nothing: a --apply function is not run without one of its transforms"));
}

TEST(Effect, ALossSaysWhatIsMissingAndWhetherItIsAllOrAPart) {
  Record captured = sample_record();
  captured.counters.graph_captures = 7;
  captured.counters.products_in_scope = 98;
  captured.counters.products_in_graphs = 92;
  EXPECT_EQ(
      loss_in_words(effect("compile@model", captured, sample_record())),
      "compile@model has only a part of its effect: 92 of 98 matrix products of its scope ran in captured graphs (7 graphs "
      "captured)");
  captured.counters.products_in_graphs = 0;
  EXPECT_EQ(loss_in_words(effect("compile@model", captured, sample_record())),
            "compile@model has no effect: 0 of 98 matrix products of its scope ran in captured graphs (7 graphs captured)");
}

TEST(Effect, ExpertsExchangeTokensInBothDirections) {
  Record with = sample_record(2);
  with.collectives = {{.kind = "all_to_all", .group = "dp_shard", .phase = Phase::forward, .count = 18},
                      {.kind = "all_to_all", .group = "ep", .phase = Phase::backward, .count = 12}};
  const auto shown = effect("ep=2", with, std::nullopt);
  EXPECT_TRUE(shown.present);
  EXPECT_THAT(print(shown.signs), testing::HasSubstr("18 all_to_all in forward; 12 all_to_all in backward"));
  with.collectives.pop_back();
  EXPECT_FALSE(effect("ep=2", with, std::nullopt).present);
  EXPECT_TRUE(effect("ep=1", with, std::nullopt).present) << "nothing to show";
}

// A new transform either says in its row what it owes, or stands here.
TEST(Effect, EveryTransformOwesWhatIsShownOrIsKnownToOweNothing) {
  std::vector<std::string> owe_nothing;
  for (const TransformInfo& info : transforms()) {
    const Effect shown = effect(info.name.c_str(), sample_record(), sample_record());
    EXPECT_EQ(print(shown.signs).starts_with("no effect is stated"), info.owes.empty())
        << info.name << ": " << print(shown.signs);
    if (info.owes.empty() && !info.between) owe_nothing.push_back(info.name);
  }
  EXPECT_THAT(owe_nothing, testing::ElementsAre("quantize"));
}

TEST(Effect, OfATransformWithoutAStatedEffectIsNotDefined) {
  const auto none = effect("quantize=fp8", sample_record(), sample_record());
  EXPECT_FALSE(none.defined);
  EXPECT_EQ(print(none.signs), "no effect is stated for quantize");
}

}  // namespace
}  // namespace ordercheck
