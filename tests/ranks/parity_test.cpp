// Every legal stack owes every bit of one rank: loss, gradients, gradient norm, parameters, three steps.
#include <algorithm>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

const std::vector<std::string>& legal_stacks() {
  static const std::vector<std::string> stacks{"(nothing)",
                                               "ac",
                                               "ac=selective:n=2",
                                               "tp=2",
                                               "tp=3",
                                               "tp=4",
                                               "tp=2:sp=off",
                                               "fsdp=2",
                                               "fsdp=3",
                                               "fsdp=4",
                                               "fsdp=2:reshard=always",
                                               "fsdp=2:reshard=never",
                                               "fsdp=2@model",
                                               "tp=2,ac",
                                               "ac,fsdp=2",
                                               "fsdp=2,ac",
                                               "tp=2,fsdp=2",
                                               "tp=2,ac,fsdp=2",
                                               "tp=2,fsdp=2,ac",
                                               "optimizer=sgd",
                                               "tp=2,fsdp=2,optimizer=sgd:clip=0.5",
                                               "ac,fsdp=4,optimizer=adamw"};
  return stacks;
}

// Stacks of graph compilation, selective checkpointing and replicas: every order that no rule calls wrong or ignored.
const std::vector<std::string>& legal_stacks_with_graphs_and_replicas() {
  static const std::vector<std::string> stacks{"compile",
                                               "ac,compile",
                                               "sac,compile",
                                               "ac,compile:wrap",
                                               "compile@model",
                                               "sac:policy=linear:n=3,compile@model",
                                               "tp=2,compile:wrap",
                                               "tp=3,compile@model",
                                               "compile,tp=2,ac,fsdp=2",
                                               "tp=2,ac,compile,fsdp=2",
                                               "tp=2,compile,ac,fsdp=2",
                                               "tp=2,ac,fsdp=2,compile",
                                               "sac,compile,fsdp=3",
                                               "fsdp=2,compile:wrap",
                                               "ac,compile@model,fsdp=2",
                                               "tp=2,sac",
                                               "ddp=3",
                                               "ddp=2:no_sync:bucket_kib=64",
                                               "ac,compile,ddp=4",
                                               "ddp=2,ac,compile",
                                               "compile,ddp=2:no_sync,ac",
                                               "sac,ddp=2",
                                               "compile:wrap@model,ddp=2",
                                               "ddp=2,compile@model",
                                               "tp=2,ddp=2"};
  return stacks;
}

// The sequence over ranks, shards over replicas, experts on ranks of their own.
const std::vector<std::string>& legal_stacks_of_wider_meshes() {
  static const std::vector<std::string> stacks{"hsdp=2x2",
                                               "tp=2,ac,compile,hsdp=2x2",
                                               "replicate=3",
                                               "sac,compile,replicate=2",
                                               "cp=2",
                                               "cp=3:ring",
                                               "cp=4:ring,fsdp=2",
                                               "cp=2,ddp=2",
                                               "cp=3:balance=head_tail",
                                               "cp=4:ring:balance=head_tail,compile",
                                               "tp=2,cp=2:balance=head_tail,ac,compile,fsdp=2",
                                               "tp=2,cp=2,ac,compile,fsdp=2",
                                               "tp=2,cp=2:ring,sac,compile,hsdp=2x1",
                                               "tp=2 model=moe",
                                               "compile@model model=moe",
                                               "tp=2,ac,compile,fsdp=2 model=moe",
                                               "ep=1,fsdp=2 model=moe",
                                               "ep=2,fsdp=2 model=moe",
                                               "ep=2,fsdp=4 model=moe",
                                               "ep=8,fsdp=8 model=moe",
                                               "ep=2,cp=2 model=moe",
                                               "ep=2,tp=2 model=moe",
                                               "ac,ep=2,hsdp=2x2 model=moe",
                                               "ep=4,tp=2,ac,compile,fsdp=2 model=moe",
                                               "tp=2,ep=2:etp=2,sac,compile,fsdp=2 model=moe",
                                               "ep=2,cp=2:ring,ac,compile,hsdp=2x2 model=moe",
                                               "sac,compile model=moe_capacity",
                                               "tp=2:sp=off,ac,compile model=moe_capacity"};
  return stacks;
}

// A parameter in two slots, one that is not trained, a block that is called twice.
const std::vector<std::string>& legal_stacks_of_shared_parameters() {
  static const std::vector<std::string> stacks{"fsdp=2,optimizer=adamw:clip=1.0 model=llama_tied",
                                               "fsdp=2@model model=llama_tied",
                                               "ac,compile,hsdp=2x2 model=llama_tied",
                                               "replicate=2 model=llama_tied",
                                               "compile@model,ddp=2 model=llama_tied",
                                               "cp=2,optimizer=sgd model=llama_tied",
                                               "tp=2:plan=blocks:rest=plain model=llama_tied",
                                               "fsdp=2,optimizer=adamw:clip=1.0 model=llama_frozen",
                                               "tp=2,ac,compile,ddp=2:bucket_kib=64 model=llama_frozen",
                                               "pp=4:zero_bubble:microbatches=4,fsdp=2 model=llama_frozen",
                                               "hsdp=2x2 model=llama_frozen_norm",
                                               "replicate=2 model=llama_frozen_norm",
                                               "tp=2:sp=off model=llama_frozen_norm",
                                               "ac,fsdp=2 model=llama_shared",
                                               "fsdp=2:reshard=always,sac model=llama_shared",
                                               "compile,ddp=2 model=llama_shared",
                                               "ac:reentrant,fsdp=2 model=llama_shared",
                                               "cp=2:ring,ac,compile,fsdp=2 model=llama_shared",
                                               "pp=2:zbv:microbatches=4,ac model=llama_shared"};
  return stacks;
}

// Data parallelism whose collectives are in the graph, with a graph around it and without one.
const std::vector<std::string>& legal_stacks_that_shard_in_the_graph() {
  static const std::vector<std::string> stacks{"simple_fsdp=2",
                                               "simple_fsdp=4",
                                               "simple_fsdp=5,compile@model",
                                               "simple_hsdp=2x2",
                                               "simple_replicate=3",
                                               "tp=2,simple_fsdp=2",
                                               "tp=2:sp=off,simple_replicate=2,compile@model",
                                               "ac,simple_fsdp=2",
                                               "simple_fsdp=2,ac,compile@model",
                                               "compile,simple_fsdp=3",
                                               "compile@model,simple_fsdp=2",
                                               "tp=2,ac,simple_fsdp=2,compile@model",
                                               "tp=2,sac,simple_hsdp=2x2,compile@model",
                                               "sac,simple_fsdp=2:reshard=never,compile@model",
                                               "cp=2:ring,simple_fsdp=2,compile@model",
                                               "pp=2:microbatches=4,simple_fsdp=2,compile@model",
                                               "simple_fsdp=2,optimizer=adamw:clip=1.0",
                                               "simple_fsdp=2 model=moe",
                                               "ep=2,simple_fsdp=4,compile@model model=moe",
                                               "ep=8,tp=2,ac,simple_hsdp=1x4 model=moe",
                                               "simple_fsdp=2 model=llama_tied",
                                               "simple_fsdp=5,compile@model model=llama_tied",
                                               "simple_hsdp=2x2,compile@model model=llama_frozen",
                                               "tp=2:sp=off,simple_fsdp=2,compile@model model=llama_frozen_norm",
                                               "ac,simple_fsdp=2,compile@model model=llama_shared",
                                               "ac,simple_fsdp=2,compile@model model=llama_dropout"};
  return stacks;
}

const std::vector<std::string>& legal_pipelines() {
  static const std::vector<std::string> stacks{"pp=2:microbatches=2",
                                               "pp=2:microbatches=3",
                                               "pp=2:gpipe:microbatches=1",
                                               "pp=4:gpipe:microbatches=3",
                                               "pp=3:microbatches=8",
                                               "pp=2:zero_bubble:microbatches=4",
                                               "pp=2:interleaved:microbatches=4",
                                               "pp=2:zbv:microbatches=3",
                                               "pp=2:dualpipev:microbatches=4",
                                               "pp=2:cut=in_place:microbatches=4,ac",
                                               "pp=2:microbatches=4,ddp=2",
                                               "pp=2:gpipe:microbatches=4,replicate=2",
                                               "pp=2:zbv:microbatches=4,tp=2,sac,compile,hsdp=1x2",
                                               "pp=2:dualpipev:microbatches=4,ac,compile,fsdp=2",
                                               "pp=2:microbatches=2,tp=2,ac,compile,fsdp=2",
                                               "pp=2:microbatches=2,cp=2:ring,fsdp=2",
                                               "pp=2:interleaved:microbatches=4,ep=2,tp=2,ac,fsdp=2 model=moe"};
  return stacks;
}

// The optimizer in backward: one microbatch, no clipping, and gradients that are whole where their calls run.
const std::vector<std::string>& legal_steps_in_backward() {
  static const std::vector<std::string> stacks{"optimizer=adamw:in_backward=on",
                                               "optimizer=sgd:in_backward=on model=llama_tied",
                                               "ac,compile,optimizer=adamw:in_backward=on",
                                               "tp=2,optimizer=adamw:in_backward=on",
                                               "tp=2,ac,compile,fsdp=2,optimizer=adamw:clip=0:in_backward=on",
                                               "fsdp=3:reshard=always,optimizer=sgd:in_backward=on",
                                               "hsdp=2x2,optimizer=adamw:in_backward=on",
                                               "replicate=2,optimizer=adamw:in_backward=on",
                                               "cp=2:ring,fsdp=2,optimizer=adamw:in_backward=on",
                                               "ep=2,fsdp=4,optimizer=adamw:in_backward=on model=moe",
                                               "pp=2:gpipe:microbatches=1,optimizer=adamw:in_backward=on"};
  return stacks;
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<std::string, int>>& info) {
  std::string name = std::get<0>(info.param) + "_in_" + std::to_string(std::get<1>(info.param));
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

class Parity : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Parity, EveryBitOfOneRank) {
  Case subject = case_of(std::get<0>(GetParam()));
  subject.settings.accumulation = std::get<1>(GetParam());
  const Record& record = known(subject);
  ASSERT_EQ(record.ending, Ending::completed) << record.failure->message;
  const auto difference = first_difference(reference(subject), record);
  EXPECT_FALSE(difference) << in_words(*difference) << "; " << extent_of_difference(reference(subject), record);
  for (const ParameterRecord& parameter : record.parameters) {
    EXPECT_TRUE(parameter.replicas_agree) << parameter.name;
    EXPECT_NE(parameter.changed, parameter.frozen) << parameter.name;
  }
  EXPECT_LT(record.range_used, 1);
}

INSTANTIATE_TEST_SUITE_P(LegalStacks, Parity, testing::Combine(testing::ValuesIn(legal_stacks()), testing::Values(1, 2, 4)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(GraphsAndReplicas, Parity,
                         testing::Combine(testing::ValuesIn(legal_stacks_with_graphs_and_replicas()), testing::Values(1, 2, 4)),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(WiderMeshes, Parity,
                         testing::Combine(testing::ValuesIn(legal_stacks_of_wider_meshes()), testing::Values(1, 2)),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(SharedParameters, Parity,
                         testing::Combine(testing::ValuesIn(legal_stacks_of_shared_parameters()), testing::Values(1, 2)),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(ShardingInTheGraph, Parity,
                         testing::Combine(testing::ValuesIn(legal_stacks_that_shard_in_the_graph()), testing::Values(1, 2)),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Pipelines, Parity, testing::Combine(testing::ValuesIn(legal_pipelines()), testing::Values(2)),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(StepsInBackward, Parity,
                         testing::Combine(testing::ValuesIn(legal_steps_in_backward()), testing::Values(1)), name_of_case);

// Each beside a twin above or without the option: what hangs on a gradient runs before DDP sums it and before the trainer sums
// what a sequence was split into; it leaves nothing to clip, and steps in every backward.
TEST(Parity, AStepInBackwardDiffersWhereAGradientIsNotWholeYetOrNotTheLast) {
  for (const char* text : {"ddp=2,optimizer=adamw:in_backward=on", "optimizer=adamw:clip=1:in_backward=on",
                           "fsdp=2,optimizer=adamw:in_backward=on accumulation=2", "cp=2,optimizer=adamw:in_backward=on"}) {
    const Case subject = case_of(text);
    ASSERT_EQ(known(subject).ending, Ending::completed) << text;
    EXPECT_TRUE(first_difference(reference(subject), known(subject))) << text;
  }
}

TEST(Parity, HoldsForOtherSeedsAndAnotherGrid) {
  for (const char* text : {"tp=2,ac,fsdp=2 seed=2", "tp=2,ac,fsdp=2 seed=3", "tp=2,ac,fsdp=2 grid=18",
                           "tp=2,ac,compile,fsdp=2 seed=2", "sac,compile,ddp=2 grid=18"}) {
    const Case subject = case_of(text);
    const auto difference = first_difference(reference(subject), known(subject));
    EXPECT_FALSE(difference) << text << ": " << in_words(*difference);
  }
}

// Which microbatches a step is cut into must not matter either: the reference of one accumulation serves all.
TEST(Parity, AccumulationDoesNotMatter) {
  const Record once = known("tp=2,fsdp=2 accumulation=1");
  const auto difference = first_difference(once, known("tp=2,fsdp=2 accumulation=4"));
  EXPECT_FALSE(difference) << in_words(*difference);
}

// The control: without the grid most layouts differ, so the comparison is known to be able to fail.
TEST(Parity, WithTheGridOffMostLayoutsDiffer) {
  int layouts = 0, differing = 0;
  std::vector<std::string> stacks = legal_stacks();
  for (const char* text : {"compile,fsdp=2", "tp=2,ac,compile@model", "ddp=2", "ac,compile,ddp=3"}) stacks.push_back(text);
  for (const std::string& text : stacks) {
    Case subject = case_of(text);
    subject.settings.arithmetic = Arithmetic::plain;
    const Record& record = known(subject);
    if (record.world_size == 1) continue;
    ++layouts;
    differing += first_difference(reference(subject), record).has_value();
  }
  EXPECT_EQ(layouts, 22);
  EXPECT_GT(2 * differing, layouts) << differing << " of " << layouts;
  RecordProperty("differing", differing);
}

// Of one rank no sum is cut: there capture must keep eager's bits without the grid, too.
TEST(Parity, CapturingChangesNoBitWithoutTheGridEither) {
  for (const char* text : {"compile", "compile:wrap", "compile@model", "ac,compile", "compile,ac", "sac,compile"}) {
    Case subject = case_of(text);
    subject.settings.arithmetic = Arithmetic::plain;
    const auto difference = first_difference(reference(subject), known(subject));
    EXPECT_FALSE(difference) << text << ": " << in_words(*difference);
  }
}

TEST(Parity, ACaseIsEqualToItself) {
  for (const char* text : {"tp=2,ac,fsdp=2", "tp=2,sac,compile,fsdp=2", "ac,compile,ddp=2"}) {
    const Case subject = case_of(text);
    EXPECT_EQ(digest(run(subject)), digest(run(subject))) << text;
  }
}

TEST(Parity, LeavesTheRangeVisibly) {
  const Record record = known("(nothing) grid=26");
  EXPECT_EQ(record.ending, Ending::out_of_range);
  EXPECT_NE(record.failure->message.find("exact arithmetic left its range"), std::string::npos) << record.failure->message;
}

}  // namespace
}  // namespace ordercheck::ranks
