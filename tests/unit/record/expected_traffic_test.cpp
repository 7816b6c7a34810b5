// A run that sends more than its transform owes is seen, and the largest that is right is not.
#include <gmock/gmock.h>

#include "record/counters.h"
#include "stack/model_sizes.h"
#include "unit/record/shown_effect.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kPasses = 6;  // 3 steps of 2 microbatches

Record sending(std::vector<CollectiveCount> collectives) {
  Record record = sharded();
  record.counters.parameter_bytes_peak = 1000;
  record.collectives = std::move(collectives);
  return record;
}

CollectiveCount bytes(const char* kind, const char* group, Phase phase, std::int64_t sent) {
  return {.kind = kind, .group = group, .phase = phase, .count = 6, .bytes = sent};
}
CollectiveCount times(const char* kind, const char* group, Phase phase, std::int64_t count) {
  return {.kind = kind, .group = group, .phase = phase, .count = count};
}

std::string signs_of(const Case& c, const Record& with) { return print(effect_of(c, 0, with, sample_record()).signs); }
std::string signs_of(const char* stack, const Record& with) { return signs_of(case_of(stack), with); }

// The twin holds 1000 bytes of parameters: in a microbatch each of two ranks gathers its 500.
Record sharding(std::int64_t forward, std::int64_t again, std::int64_t scattered, Phase when = Phase::backward) {
  return sending({bytes("all_gather", "dp_shard", Phase::forward, forward), bytes("all_gather", "dp_shard", when, again),
                  bytes("reduce_scatter", "dp_shard", Phase::backward, scattered)});
}

TEST(OwedTraffic, OfShardsIsOneGatherForwardOneInBackwardAndOneScatter) {
  EXPECT_THAT(signs_of("fsdp=2", sharding(3000, 3000, 6000)), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs_of("fsdp=2", sharding(6000, 3000, 6000)),
              HasSubstr("missing: 6000 bytes gathered on dp_shard in forward, expected at most 3000"));
  EXPECT_THAT(signs_of("fsdp=2", sharding(3000, 3001, 6000)),
              HasSubstr("missing: 3001 bytes gathered on dp_shard in backward, expected at most 3000"));
  EXPECT_THAT(signs_of("fsdp=2", sharding(3000, 3000, 6001)),
              HasSubstr("missing: 6001 bytes scattered on dp_shard, expected at most 6000"));
  EXPECT_THAT(signs_of("fsdp=2:reshard=never", sharding(3000, 1, 6000)), HasSubstr("expected at most 0"));
}

TEST(OwedTraffic, MakesTheVerdictAnOther) {
  const Record twice = sharding(6000, 3000, 6000), once = sharding(3000, 3000, 6000);
  for (const auto& [with, verdict] : {std::pair{once, Verdict::equal}, {twice, Verdict::ignored}}) {
    const Observation seen = judge({.subject = case_of("fsdp=2"),
                                    .first = with,
                                    .again = with,
                                    .reference = sample_record(),
                                    .recommended = std::nullopt,
                                    .twins = {sample_record()}});
    EXPECT_EQ(seen.verdict, verdict) << seen.message;
  }
}

// A checkpoint gathers in the recomputation what a hook gathers in backward: a function in the graph is run for both.
TEST(OwedTraffic, OfAGatherInTheGraphIsTwiceInBackward) {
  const Record twice = sharding(3000, 6000, 6000, Phase::recompute);
  EXPECT_THAT(signs_of("fsdp=2,ac", twice), HasSubstr("expected at most 3000"));
  EXPECT_THAT(signs_of("simple_fsdp=2,ac,compile@model", twice), Not(HasSubstr("expected at most")));
}

// Without a graph each read gathers, and a weight of two modules is read twice.
TEST(OwedTraffic, OfReadsWithoutAGraphIsNotKnown) {
  const Record twice = sharding(6000, 3000, 6000);
  EXPECT_THAT(signs_of("simple_fsdp=2", twice), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs_of("simple_fsdp=2,compile@model", twice), HasSubstr("expected at most 3000"));
}

TEST(OwedTraffic, OfAModelThatCallsAModuleTwiceIsNotKnown) {
  const Record twice = sharding(6000, 3000, 6000);
  for (const char* model : {kModelThatCallsABlockTwice, "mine.net:Net"}) {
    Case own = case_of("fsdp=2");
    own.model = model;
    EXPECT_THAT(signs_of(own, twice), Not(HasSubstr("expected at most"))) << model;
  }
  Case function = case_of("fsdp=2");
  function.apply = "mine:shard";
  EXPECT_THAT(signs_of(function, twice), Not(HasSubstr("expected at most")));
}

// Of 4 rows of 24 bytes each of 3 ranks sends 2: two rows of padding at most, for each of 3 parameters.
TEST(OwedTraffic, OfUnevenShardsHoldsTheirPadding) {
  const std::int64_t owed = kPasses * (1000 + 3 * 2 * 24) / 3;
  EXPECT_THAT(signs_of("fsdp=3", sharding(owed, 0, 0)), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs_of("fsdp=3", sharding(owed + 1, 0, 0)), HasSubstr("in forward, expected at most"));
}

// An engine that does not measure what a rank holds: three parameters of 12 numbers of 8 bytes, or of 4.
TEST(OwedTraffic, WhereNobodyMeasuresParametersIsThatOfTheirSizes) {
  Record unmeasured = sample_record();
  unmeasured.counters.parameter_bytes_peak = kNotMeasured;
  Case c = case_of("fsdp=2");
  const auto signs = [&](std::int64_t gathered) { return print(effect_of(c, 0, sharding(gathered, 0, 0), unmeasured).signs); };
  EXPECT_THAT(signs(kPasses * 144), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs(kPasses * 144 + 1), HasSubstr("expected at most 864"));
  c.settings.arithmetic = Arithmetic::float32;
  EXPECT_THAT(signs(kPasses * 144), HasSubstr("expected at most 432"));
}

TEST(OwedTraffic, OfReplicasIsOneSumOfEverything) {
  const auto sums = [](std::int64_t sent) { return sending({bytes("all_reduce", "dp_replicate", Phase::backward, sent)}); };
  EXPECT_THAT(signs_of("ddp=2", sums(6000)), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs_of("ddp=2", sums(6001)), HasSubstr("6001 bytes summed on dp_replicate, expected at most 6000"));
  EXPECT_THAT(signs_of("ddp=2:no_sync", sums(3001)), HasSubstr("expected at most 3000"));
  EXPECT_THAT(signs_of("hsdp=2x2", sums(3000)), Not(HasSubstr("bytes summed")));
  EXPECT_THAT(signs_of("hsdp=2x2", sums(3001)), HasSubstr("bytes summed on dp_replicate, expected at most 3000"));
  EXPECT_THAT(signs_of("simple_hsdp=2x2,compile@model", sums(6000)), Not(HasSubstr("bytes summed")));
}

TEST(OwedTraffic, OfTensorParallelismIsTwoRegionsABlockAndTheEnds) {
  constexpr std::int64_t owed = kPasses * (2 * kUsualModel.layers + 2);
  for (const char* kind : {"all_gather", "reduce_scatter"}) {
    EXPECT_THAT(signs_of("tp=2", sending({times(kind, "tp", Phase::forward, owed)})), Not(HasSubstr("expected at most")));
    EXPECT_THAT(signs_of("tp=2", sending({times(kind, "tp", Phase::forward, owed + 1)})), HasSubstr("expected at most 36"));
    EXPECT_THAT(signs_of("tp=2", sending({times(kind, "tp", Phase::backward, owed + 1)})), HasSubstr("expected at most 36"));
    EXPECT_THAT(signs_of("tp=2,ac", sending({times(kind, "tp", Phase::backward, 2 * owed)})),
                Not(HasSubstr("expected at most")));
  }
  Case moe = case_of("tp=2");
  moe.model = "moe";
  EXPECT_THAT(signs_of(moe, sending({times("all_gather", "tp", Phase::forward, owed + 1)})),
              Not(HasSubstr("expected at most")));
  EXPECT_THAT(
      signs_of(moe, sending({times("all_gather", "tp", Phase::forward, 24), times("all_gather", "tp", Phase::recompute, 25)})),
      HasSubstr("25 all_gather on tp in recompute, expected at most 24"));
}

TEST(OwedTraffic, OfContextParallelismIsKeysAndValuesOfEveryBlock) {
  constexpr std::int64_t owed = kPasses * 2 * kUsualModel.layers;
  const auto gathers = [](std::int64_t count) { return sending({times("all_gather", "cp", Phase::forward, count)}); };
  EXPECT_THAT(signs_of("cp=2", gathers(owed)), Not(HasSubstr("expected at most")));
  EXPECT_THAT(signs_of("cp=2", gathers(owed + 1)), HasSubstr("25 all_gather on cp in forward, expected at most 24"));
  const auto sends = [](std::int64_t count) { return sending({times("send", "cp", Phase::forward, count)}); };
  EXPECT_THAT(signs_of("cp=3:ring", sends(2 * owed)), Not(HasSubstr("send on cp in forward, expected at most")));
  EXPECT_THAT(signs_of("cp=3:ring", sends(2 * owed + 1)), HasSubstr("49 send on cp in forward, expected at most 48"));
}

TEST(OwedTraffic, OfAPipelineIsAnActivationAndItsGradientABoundary) {
  const auto stage = [](std::int64_t messages) {
    Record record = sample_record(2);
    record.counters.matmul_flops = 400;
    record.counters.p2p_messages = messages;
    return record;
  };
  for (const auto& [stack, owed] : {std::pair{"pp=2", 4},
                                    {"pp=2:microbatches=4", 8},
                                    {"pp=2:zbv:microbatches=4", 16},
                                    {"pp=2:interleaved:microbatches=4", 24},
                                    {"pp=4:microbatches=4", 16}}) {
    EXPECT_THAT(signs_of(stack, stage(owed)), Not(HasSubstr("expected at most"))) << stack;
    EXPECT_THAT(signs_of(stack, stage(owed + 1)), HasSubstr("messages between stages in a step, expected at most")) << stack;
  }
  Case first_step = case_of("pp=2");
  first_step.settings.steps = 1;
  EXPECT_THAT(signs_of(first_step, stage(8)), Not(HasSubstr("expected at most"))) << "shapes are told in the first step";
}

}  // namespace
}  // namespace ordercheck
