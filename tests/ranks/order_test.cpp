// The orders that break, break by themselves; what each shows is pinned here.
#include <gmock/gmock.h>

#include "ranks/on_case.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::size_t unchanged(const Record& record) {
  return std::ranges::count_if(record.parameters, [](const ParameterRecord& p) { return !p.changed; });
}

// A wrapper renames what is below it, so the plan's entries for blocks meet nothing, while those of the root split the
// sequence: each block sees its own piece of the sequence only.
TEST(Order, CheckpointingBeforeSequenceParallelismIsSilentlyWrong) {
  const Record record = known("ac,tp=2");
  ASSERT_EQ(record.ending, Ending::completed);
  EXPECT_TRUE(first_difference(reference(case_of("ac,tp=2")), record));
  EXPECT_THAT(record.notes, Contains(HasSubstr("'layers.*.attention.wq' matched no module")));
}

TEST(Order, WithoutSequenceParallelismItIsRightButSplitsNothing) {
  const Record record = known("ac,tp=2:sp=off");
  EXPECT_FALSE(first_difference(reference(case_of("ac,tp=2:sp=off")), record));
  EXPECT_GT(record.counters.matmul_flops * 2, known("ac").counters.matmul_flops);
}

TEST(Order, ShardingBeforeTensorParallelismIsRefused) {
  for (const char* text : {"fsdp=2,tp=2", "fsdp=2,ac,tp=2", "ac,fsdp=2,tp=2", "fsdp=2,tp=2,ac"}) {
    const Record record = known(text);
    ASSERT_EQ(record.ending, Ending::failed) << text;
    EXPECT_EQ(record.failure->phase, Phase::apply) << text;
    EXPECT_THAT(record.failure->message, HasSubstr("Cannot distribute over axis 'tp'")) << text;
  }
}

TEST(Order, AnOptimizerMadeEarlierUpdatesWhatIsNoLongerTheModels) {
  for (const char* text : {"optimizer=adamw,fsdp=2", "optimizer=adamw,tp=2", "tp=2,optimizer=adamw,fsdp=2"}) {
    const Record record = known(text);
    ASSERT_EQ(record.ending, Ending::completed) << text;
    EXPECT_EQ(unchanged(record), record.parameters.size()) << text;
  }
}

TEST(Order, AnOptimizerMayComeBeforeCheckpointing) {
  const auto difference = first_difference(reference(case_of("optimizer=adamw,ac")), known("optimizer=adamw,ac"));
  EXPECT_FALSE(difference) << in_words(*difference);
}

// What each transform does to a parameter in two slots, to one that is frozen, to a block that is called twice.
TEST(Order, TensorParallelismPartsWhatIsTied) {
  EXPECT_TRUE(first_difference(reference(case_of("tp=2 model=llama_tied")), known("tp=2 model=llama_tied")));
}

TEST(Order, SequenceParallelismTrainsAFrozenNorm) {
  const auto of_norm = [](const Record& record) {
    return *std::ranges::find(record.parameters, "norm.weight", &ParameterRecord::name);
  };
  const ParameterRecord trained = of_norm(known("tp=2 model=llama_frozen_norm"));
  EXPECT_TRUE(trained.frozen && trained.changed && trained.has_gradient);
  EXPECT_FALSE(of_norm(known("tp=2:sp=off model=llama_frozen_norm")).changed);
}

TEST(Order, ReentrantCheckpointsAboveAFrozenEmbeddingTrainNoBlock) {
  const Record record = known("ac:reentrant model=llama_frozen");
  for (const ParameterRecord& parameter : record.parameters)
    EXPECT_EQ(parameter.has_gradient, parameter.name == "norm.weight" || parameter.name == "output.weight") << parameter.name;
}

TEST(Order, AReducerRefusesWhatReentrantCheckpointsLeaveOutOrHandInTwice) {
  const Record missing = known("ac:reentrant,ddp=2 model=llama_frozen"), twice = known("ac:reentrant,ddp=2 model=llama_shared");
  ASSERT_TRUE(missing.ending == Ending::failed && twice.ending == Ending::failed);
  EXPECT_THAT(missing.failure->message, HasSubstr("2 of 20 parameters got a gradient"));
  EXPECT_THAT(twice.failure->message, HasSubstr("mark a variable ready only once"));
}

// A capacity is of the tokens that one call sees. Layouts that share tokens out are right for experts that take all.
TEST(Order, ExpertsWithACapacityDropOtherTokensWhereTheRouterSeesOthers) {
  const auto is_right = [](const std::string& stack, const std::string& model) {
    const Case subject = case_of(stack + " steps=1 model=" + model);
    EXPECT_EQ(known(subject).ending, Ending::completed) << stack;
    return !first_difference(reference(subject), known(subject));
  };
  for (const char* stack : {"fsdp=2", "ddp=2", "ep=2,fsdp=2", "cp=2", "tp=2", "pp=2:microbatches=4"}) {
    EXPECT_FALSE(is_right(stack, "moe_capacity")) << stack;
    EXPECT_TRUE(is_right(stack, "moe")) << stack;
  }
}

// So it is the shares that decide, and not the transform: who has the same ones drops the same, to the last bit.
TEST(Order, ExpertsWithACapacityDropTheSameOfTheSameShares) {
  const auto difference = [](const std::string& one, const std::string& other) {
    const std::string rest = " steps=1 model=moe_capacity";
    const auto found = first_difference(known(one + rest), known(other + rest));
    return found ? in_words(*found) : "";
  };
  for (const char* stack : {"fsdp=2", "ddp=2", "ep=2,fsdp=2", "pp=2:microbatches=4"})
    EXPECT_EQ(difference("(nothing) accumulation=4", stack), "") << stack;
  EXPECT_EQ(difference("cp=2", "tp=2"), "");
}

TEST(Order, ExpertsWithACapacityDropTheSameWhereTheRouterSeesTheSame) {
  for (const std::string stack : {"ac", "ac:reentrant", "compile", "tp=2:sp=off", "tp=2:plan=blocks", "pp=2:microbatches=2"}) {
    const auto difference =
        first_difference(reference(case_of(stack + " model=moe_capacity")), known(stack + " model=moe_capacity"));
    EXPECT_FALSE(difference) << stack << ": " << in_words(*difference);
  }
}

// The second run stops in the inner wrapper's own saved inputs, so one of two nested checkpoints does nothing.
TEST(Order, NestedCheckpointsRecomputeOnce) {
  EXPECT_EQ(known("ac,ac").counters.matmul_flops, known("ac").counters.matmul_flops);
}

TEST(Order, GatheringInsideOrOutsideARecomputedBlockCostsTheSame) {
  const Record outside = known("ac,fsdp=2");
  const Record inside = known("fsdp=2,ac");
  EXPECT_EQ(outside.counters, inside.counters);
  EXPECT_EQ(outside.collectives, inside.collectives);
}

bool is_without_effect(const char* text, std::size_t item) {
  const Case subject = case_of(text);
  return !effect_of(subject, item, known(subject), known(without_item(subject, item))).present;
}

std::int64_t count(const Record& record, const std::string& kind, const std::string& group) {
  std::int64_t count = 0;
  for (const CollectiveCount& c : record.collectives) count += c.kind == kind && c.group == group ? c.count : 0;
  return count;
}

// A graph around a checkpoint holds both of its runs, and nothing that is the same in both is merged: the partition may
// drop only what nobody reads. A checkpoint around a graph runs the whole graph again, so more is computed again, and what
// the graph saves for itself is held while it is.
TEST(Order, ACheckpointInsideAGraphKeepsLessThanOneAround) {
  const Record inside = known("ac,compile"), around = known("compile,ac");
  EXPECT_EQ(inside.counters.graph_captures, 2);
  EXPECT_EQ(around.counters.graph_captures, 2);
  EXPECT_LT(inside.counters.operators_recomputed, around.counters.operators_recomputed);
  EXPECT_LT(inside.counters.saved_bytes_peak, around.counters.saved_bytes_peak);
  EXPECT_LT(around.counters.saved_bytes_peak, known("compile").counters.saved_bytes_peak);
  EXPECT_LT(inside.counters.matmul_flops, around.counters.matmul_flops) << "the last product of a block need not be run again";
  for (const char* text : {"ac,compile", "compile,ac"}) {
    for (const std::size_t item : {0, 1}) EXPECT_FALSE(is_without_effect(text, item)) << text << " " << item;
  }
}

// Dispatch modes see nothing of a graph's inside, so a policy around one has nothing to choose from.
TEST(Order, APolicyAroundAGraphChoosesNothing) {
  const Record inside = known("sac,compile"), around = known("compile,sac");
  EXPECT_EQ(inside.counters.operators_kept, known("sac").counters.operators_kept);
  EXPECT_EQ(around.counters.operators_kept, 0);
  EXPECT_EQ(around.counters, known("compile,ac").counters) << "it is plain checkpointing";
  EXPECT_FALSE(is_without_effect("sac,compile", 0));
  EXPECT_TRUE(is_without_effect("compile,sac", 1));
  EXPECT_FALSE(first_difference(reference(case_of("compile,sac")), around));
}

// FLOPs of the products kept are not done again; everything else of a block is, as without a policy.
TEST(Order, APolicyTradesWorkForBytes) {
  const Record all = known("ac"), some = known("sac"), linear = known("sac:policy=linear:n=1");
  EXPECT_EQ(all.counters.operators_kept, 0);
  EXPECT_LT(some.counters.matmul_flops_recomputed, all.counters.matmul_flops_recomputed);
  EXPECT_LT(all.counters.saved_bytes_peak, some.counters.saved_bytes_peak);
  EXPECT_LT(some.counters.saved_bytes_peak, known("(nothing)").counters.saved_bytes_peak);
  EXPECT_EQ(all.counters.operators_recomputed, some.counters.operators_recomputed + some.counters.operators_kept)
      << "what is kept is not run, and all else is";
  EXPECT_EQ(linear.counters.operators_kept, 6 * kUsualModel.layers * 2)
      << "seven weights a block, the last of which need not run again; two microbatches";
}

TEST(Order, ShardingInsideAGraphBreaksItAndInPlaceCompilationDoesNotMeetIt) {
  const Record wrapped = known("fsdp=2,compile:wrap"), in_place = known("fsdp=2,compile");
  EXPECT_EQ(wrapped.counters.graph_breaks, kUsualModel.layers);
  EXPECT_EQ(in_place.counters.graph_breaks, 0);
  EXPECT_THAT(wrapped.notes, Contains(HasSubstr("graph break in layers.0: FSDP gathers parameters")));
  const Record full = known("fsdp=2,compile:wrap:fullgraph");
  ASSERT_EQ(full.ending, Ending::failed);
  EXPECT_THAT(full.failure->message, HasSubstr("compile:fullgraph met a graph break in layers.0: FSDP gathers parameters"));
  EXPECT_EQ(known("compile:wrap:fullgraph,fsdp=2").ending, Ending::completed);
}

TEST(Order, ReplicasInsideAGraphBreakIt) {
  const Record record = known("ddp=2,compile@model");
  EXPECT_EQ(record.counters.graph_breaks, 1);
  EXPECT_THAT(record.notes, Contains(HasSubstr("graph break in the model: DDP makes its reducer ready")));
  EXPECT_FALSE(first_difference(reference(case_of("ddp=2,compile@model")), record));
  EXPECT_EQ(known("compile@model,ddp=2").counters.graph_breaks, 0);
  const Record full = known("ddp=2,compile:fullgraph@model");
  ASSERT_EQ(full.ending, Ending::failed);
  EXPECT_THAT(full.failure->message, HasSubstr("graph break in the model"));
}

// DDP's wrapper renames all that the plan of tensor parallelism names.
TEST(Order, TensorParallelismAfterReplicasSplitsNothing) {
  const Record record = known("ddp=2,tp=2");
  ASSERT_EQ(record.ending, Ending::completed);
  EXPECT_FALSE(first_difference(reference(case_of("ddp=2,tp=2")), record));
  EXPECT_TRUE(is_without_effect("ddp=2,tp=2", 1));
  EXPECT_EQ(count(record, "all_gather", "tp"), 0);
  EXPECT_THAT(record.notes, Contains(HasSubstr("'layers.*.attention.wq' matched no module")));
}

// A wrapper of a block renames what is below it, which the plan of tensor parallelism then misses.
TEST(Order, CompilingByWrappingBeforeSequenceParallelismIsSilentlyWrong) {
  EXPECT_TRUE(first_difference(reference(case_of("compile:wrap,tp=2")), known("compile:wrap,tp=2")));
  EXPECT_FALSE(first_difference(reference(case_of("compile,tp=2")), known("compile,tp=2")));
}

}  // namespace
}  // namespace ordercheck::ranks
