// Effects of data parallelism in the graph, and of parallelism of the model.
#include <gmock/gmock.h>

#include "unit/record/shown_effect.h"

namespace ordercheck {
namespace {

// What is in the graph is freed by the graph's partition: without a graph, what backward reads stays, once a read. Of 5 ranks
// with 4 rows each sends one.
TEST(DataParallelEffects, ShardingInTheGraphHoldsLessWhereThereIsAGraph) {
  Record with = sharded();
  with.counters.parameter_bytes_peak = 1900;
  const auto eager = effect("simple_fsdp=2", with, sample_record());
  EXPECT_TRUE(eager.present) << print(eager.signs);
  EXPECT_THAT(print(eager.signs),
              testing::HasSubstr("parameter bytes at peak 1900, 1000 without it, with no graph to free them"));
  EXPECT_FALSE(effect("simple_fsdp=2,compile@model", with, sample_record()).present);
  with.counters.parameter_bytes_peak = 1499;
  EXPECT_TRUE(effect("simple_fsdp=2,compile@model", with, sample_record()).present);
  with.counters.parameter_bytes_peak = 1500;
  EXPECT_FALSE(effect("simple_fsdp=2,compile@model", with, sample_record()).present);
  EXPECT_TRUE(effect("simple_fsdp=2:reshard=never,compile@model", with, sample_record()).present);
  with.counters.matmul_flops = 240;
  EXPECT_TRUE(effect("simple_fsdp=5:reshard=never,compile@model", with, sample_record()).present);
  with.counters.parameter_bytes_peak = 1501;
  EXPECT_FALSE(effect("simple_fsdp=5:reshard=never,compile@model", with, sample_record()).present);
}

// SimpleFSDP that was asked for buckets and sends one parameter at a time works, but not as it was asked to.
TEST(DataParallelEffects, ABucketIsOfSeveralParameters) {
  Record with = sharded();
  const Record without = sample_record();
  const auto parameters = static_cast<std::int64_t>(with.parameters.size());
  with.collectives[0].count = with.collectives[1].count = parameters * 6 - 1;
  const auto shown = effect("simple_fsdp=2:bucket=transformer_block", with, without);
  EXPECT_TRUE(shown.present) << print(shown.signs);
  with.collectives[1].count = parameters * 6;
  const auto missing = effect("simple_fsdp=2:bucket=transformer_block", with, without);
  EXPECT_FALSE(missing.present);
  EXPECT_THAT(print(missing.signs), testing::HasSubstr("parameters in 6 microbatches"));
  EXPECT_TRUE(effect("simple_fsdp=2", with, without).present);
}

// Of a model of few blocks, two buckets are everything.
TEST(DataParallelEffects, ABucketMayHoldTheWholeModel) {
  Record with = sharded();
  with.counters.parameter_bytes_peak = 5000;
  EXPECT_FALSE(effect("simple_fsdp=2,compile@model", with, sample_record()).present);
  const auto bucketed = effect("simple_fsdp=2:bucket=transformer_block,compile@model", with, sample_record());
  EXPECT_THAT(print(bucketed.signs), testing::HasSubstr("parameter bytes at peak 5000, 1000 without it, by the bucket"));
}

TEST(DataParallelEffects, WhatIsFreedAfterForwardIsGatheredAgain) {
  Record with = sharded();
  const auto missing = effect("simple_fsdp=2:reshard=always", with, sample_record());
  EXPECT_FALSE(missing.present);
  EXPECT_THAT(print(missing.signs), testing::HasSubstr("0 all_gather on dp_shard in backward"));
  with.collectives.push_back({.kind = "all_gather", .group = "dp_shard", .phase = Phase::recompute, .count = 3});
  EXPECT_TRUE(effect("simple_fsdp=2:reshard=always", with, sample_record()).present);
  EXPECT_TRUE(effect("simple_fsdp=2:reshard=never", sharded(), sample_record()).present);
}

// The hostile twin: ranks that communicate and each compute the whole batch. Its losses are right.
TEST(AutoParallelEffect, APlacedModelComputesLessOnEachRank) {
  Record with = sample_record(2);
  with.counters.matmul_flops = 480;
  EXPECT_FALSE(effect("auto_parallel=2", with, sample_record()).present) << "no rank communicates";
  with.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 1}};
  EXPECT_TRUE(effect("auto_parallel=2", with, sample_record()).present);
  with.counters.matmul_flops = 960;
  const Effect whole = effect("auto_parallel=2", with, sample_record());
  EXPECT_FALSE(whole.present);
  EXPECT_THAT(print(whole.signs), testing::HasSubstr("missing: 960 of 960 matmul flops, expected a part"));
}

}  // namespace
}  // namespace ordercheck
