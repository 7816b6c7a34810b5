#include "native/transform/pipeline.h"

#include <algorithm>
#include <memory>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/module/models.h"
#include "native/transform/on_gradient.h"
#include "native/transform/sharded_blocks.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

constexpr int kMicrobatches = 4, kSteps = 2;

at::Tensor integers(at::IntArrayRef sizes, int seed) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const at::Tensor place = at::arange(count, at::kLong);
  return ((place * place * 5 + place * (seed + 1) * 3 + seed * seed) % 11 % 6 - 2).to(at::kDouble).view(sizes);
}

// One weight. Whole numbers stay whole: gradients are equal to the last bit whatever the order of microbatches. What it cuts off
// at zero is of another place in every microbatch.
class Stage final : public Module {
 public:
  explicit Stage(int number) : Module("Stage") {
    set_parameter("weight", make_parameter(integers({3, 3}, number), {3, 3}, {}));
    on_gradient(weight().tensor, [this] { ++arrived; });
  }
  Parameter& weight() const { return *parameter("weight"); }

  void run_by_pipeline() override { ++told_of_pipeline; }
  void before_last_backward() override { arrived_before_last.push_back(arrived); }

  int arrived = 0;  // gradients of microbatches
  int told_of_pipeline = 0;
  std::vector<int> arrived_before_last;

 protected:
  // The second input is the model's, on every stage.
  at::Tensor forward(const Tensors& inputs) override { return at::relu(inputs[0].mm(use("weight")) + inputs[1]); }
};

Tensors inputs_of(int step, int microbatch) {
  const int seed = step * kMicrobatches + microbatch;
  return {integers({2, 3}, seed), integers({2, 3}, 3 * seed + 1)};
}

// Of another gradient for every microbatch.
at::Tensor loss_of(int microbatch, const at::Tensor& output) { return (output * output).sum() * (microbatch + 1); }

using StagesByNumber = std::map<int, std::shared_ptr<Stage>>;

// Every stage on one rank, microbatch by microbatch.
StagesByNumber on_one_rank(int stages) {
  StagesByNumber made;
  for (int number = 0; number < stages; ++number) made[number] = std::make_shared<Stage>(number);
  for (int step = 0; step < kSteps; ++step) {
    for (int microbatch = 0; microbatch < kMicrobatches; ++microbatch) {
      Tensors inputs = inputs_of(step, microbatch);
      for (const auto& [number, stage] : made) inputs[0] = stage->call(inputs);
      loss_of(microbatch, inputs[0]).backward();
    }
  }
  return made;
}

class APipeline : public testing::TestWithParam<ScheduleKind> {
 protected:
  static ScheduleSizes sizes() {
    const bool one_stage_each = GetParam() == ScheduleKind::gpipe || GetParam() == ScheduleKind::one_forward_one_backward ||
                                GetParam() == ScheduleKind::zero_bubble;
    return {.ranks = 2, .stages_per_rank = one_stage_each ? 1 : 2, .microbatches = kMicrobatches};
  }
  static int stages() { return sizes().ranks * sizes().stages_per_rank; }

  // What each rank's stages have after the steps is shown to `look`, with the computations that were announced.
  using Look = std::function<void(const StagesByNumber&, const std::map<Computation, int>& announced)>;
  static void run_steps(const Look& look) {
    complete(mesh_with({{"pp", 2}}), [&](RankState& rank) {
      const Schedule schedule = *make_schedule(GetParam(), sizes());
      StagesByNumber own;
      std::map<int, ModulePtr> modules;
      for (int number = 0; number < stages(); ++number) {
        if (schedule.rank_of_stage[static_cast<std::size_t>(number)] != rank.rank) continue;
        own[number] = std::make_shared<Stage>(number);
        modules[number] = own[number];
      }
      Pipeline pipeline(schedule, "pp", modules);
      EXPECT_EQ(pipeline.microbatches(), kMicrobatches);
      std::map<Computation, int> announced;
      for (int step = 0; step < kSteps; ++step) {
        for (auto& [number, stage] : own) stage->arrived = 0;
        pipeline.step({.call = [](const ModulePtr& stage, const Tensors& inputs) { return stage->call(inputs); },
                       .inputs = [step](int microbatch) { return inputs_of(step, microbatch); },
                       .loss = loss_of,
                       .before = [&](Computation computation) { ++announced[computation]; }});
      }
      look(own, announced);
    });
  }
};

TEST_P(APipeline, HasTheGradientsOfOneRank) {
  const StagesByNumber expected = on_one_rank(stages());
  run_steps([&](const StagesByNumber& own, const auto&) {
    for (const auto& [number, stage] : own) {
      const at::Tensor& whole = expected.at(number)->weight().tensor.grad();
      EXPECT_GT(whole.abs().sum().item<double>(), 0) << "stage " << number << " shows nothing";
      EXPECT_TRUE(same_bits(stage->weight().tensor.grad(), whole)) << "stage " << number;
    }
  });
}

// A wrapper reduces gradients before the last: those of all other microbatches are there, and that of the last is not.
TEST_P(APipeline, TellsItsStagesOnceAndBeforeTheLastBackwardOfAStep) {
  run_steps([&](const StagesByNumber& own, const auto&) {
    for (const auto& [number, stage] : own) {
      EXPECT_EQ(stage->told_of_pipeline, 1) << "stage " << number;
      EXPECT_THAT(stage->arrived_before_last, testing::ElementsAre(kMicrobatches - 1, kMicrobatches - 1)) << "stage " << number;
      EXPECT_EQ(stage->arrived, kMicrobatches) << "stage " << number;
    }
  });
}

TEST_P(APipeline, AnnouncesEveryComputation) {
  run_steps([&](const StagesByNumber& own, const std::map<Computation, int>& announced) {
    const int each = static_cast<int>(own.size()) * kMicrobatches * kSteps;
    const auto times = [&](Computation computation) { return announced.contains(computation) ? announced.at(computation) : 0; };
    EXPECT_EQ(times(Computation::forward), each);
    EXPECT_EQ(times(Computation::backward) + times(Computation::backward_weight), each);
    EXPECT_EQ(times(Computation::backward_input), times(Computation::backward_weight));
  });
}

INSTANTIATE_TEST_SUITE_P(Schedules, APipeline, testing::ValuesIn(all_of<ScheduleKind>()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// On one rank nothing is sent: the two stages of a V hand over to each other.
TEST(Pipeline, HandsOverBetweenStagesOfARank) {
  const StagesByNumber expected = on_one_rank(2);
  complete({}, [&](RankState& rank) {
    const Schedule schedule =
        *make_schedule(ScheduleKind::zbv, {.ranks = 1, .stages_per_rank = 2, .microbatches = kMicrobatches});
    const auto first = std::make_shared<Stage>(0), second = std::make_shared<Stage>(1);
    Pipeline pipeline(schedule, "pp", {{0, first}, {1, second}});
    for (int step = 0; step < kSteps; ++step)
      pipeline.step({.call = [](const ModulePtr& stage, const Tensors& inputs) { return stage->call(inputs); },
                     .inputs = [step](int microbatch) { return inputs_of(step, microbatch); },
                     .loss = loss_of,
                     .before = [](Computation) {}});
    EXPECT_TRUE(same_bits(first->weight().tensor.grad(), expected.at(0)->weight().tensor.grad()));
    EXPECT_TRUE(same_bits(second->weight().tensor.grad(), expected.at(1)->weight().tensor.grad()));
    EXPECT_EQ(rank.counters.p2p_messages, 0);
  });
}

using testing::ElementsAreArray;

constexpr ModelSizes kSmall{.layers = 5, .dim = 6, .heads = 2, .kv_heads = 1, .head_dim = 2, .ffn_hidden = 4, .vocab = 7};

ModulePtr llama_of(int blocks) {
  ModelSizes sizes = kSmall;
  sizes.layers = blocks;
  return make_llama(sizes, {});
}

// Its parts by name, blocks by number, in the order in which they run.
std::vector<std::string> parts_of(const ModulePtr& model) {
  std::vector<std::string> parts;
  for (const auto& [name, child] : model->children()) {
    if (name != "layers") parts.push_back(name);
    if (name == "layers")
      for (const auto& [number, block] : child->children()) parts.push_back(number);
  }
  return parts;
}

struct Cut {
  int blocks;
  std::vector<std::vector<std::string>> stages;
};

class ModelCut : public testing::TestWithParam<Cut> {};

TEST_P(ModelCut, LeavesEachStageItsOwn) {
  const auto& [blocks, expected] = GetParam();
  const int stages = static_cast<int>(expected.size());
  for (int stage = 0; stage < stages; ++stage) {
    const ModulePtr model = llama_of(blocks);
    keep_stage(model, stage, stages);
    EXPECT_THAT(parts_of(model), ElementsAreArray(expected[static_cast<std::size_t>(stage)])) << "stage " << stage;
  }
}

// One behind the other they are the whole: to the last bit, so that a part too many or in another place is seen.
TEST_P(ModelCut, StagesOneBehindTheOtherAreTheModel) {
  const auto& [blocks, expected] = GetParam();
  const int stages = static_cast<int>(expected.size());
  const at::Tensor positions = at::arange(3, at::kLong);
  const at::Tensor tokens = at::tensor({0, 6, 3, 5, 5, 1}, at::kLong).view({2, 3});
  at::Tensor x = tokens;
  for (int stage = 0; stage < stages; ++stage) {
    const ModulePtr model = llama_of(blocks);
    keep_stage(model, stage, stages);
    x = model->call({x, positions});
  }
  EXPECT_TRUE(at::equal(x, llama_of(blocks)->call({tokens, positions})));
}

INSTANTIATE_TEST_SUITE_P(Stages, ModelCut,
                         testing::Values(Cut{2, {{"tok_embeddings", "0", "1", "norm", "output"}}},                   //
                                         Cut{2, {{"tok_embeddings", "0"}, {"1", "norm", "output"}}},                 //
                                         Cut{5, {{"tok_embeddings", "0", "1"}, {"2", "3", "4", "norm", "output"}}},  // uneven
                                         Cut{3, {{"tok_embeddings", "0"}, {"1"}, {"2", "norm", "output"}}},          //
                                         Cut{2, {{"tok_embeddings"}, {"0"}, {"1", "norm", "output"}}},  // ends are dealt out
                                         Cut{4, {{"tok_embeddings"}, {"0"}, {"1"}, {"2"}, {"3", "norm", "output"}}},  //
                                         Cut{2, {{"tok_embeddings"}, {"0"}, {"1"}, {"norm", "output"}}}),  // one a stage
                         [](const auto& info) {
                           return "blocks_" + std::to_string(info.param.blocks) + "_stages_" +
                                  std::to_string(info.param.stages.size());
                         });

TEST(ModelCut, RefusesMoreStagesThanParts) {
  try {
    keep_stage(llama_of(2), 0, 5);
    FAIL() << "a stage without anything was made";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a pipeline of 5 stages: expected at most 4, for 2 blocks, the embedding and the output");
  }
}

// As DDP's and compile's: its child has a name of its own.
class Around final : public ModuleOf<Around> {
 public:
  explicit Around(ModulePtr inside) : ModuleOf("Around") { set_child("inside", std::move(inside)); }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override { return child("inside")->call(inputs); }
};

TEST(ModelCut, LooksThroughWrappersOfTheModelAndOfBlocks) {
  const ModulePtr model = llama_of(2);
  const ModulePtr layers = layers_of(model);
  layers->set_child("1", std::make_shared<Around>(layers->child("1")));
  keep_stage(std::make_shared<Around>(std::make_shared<Around>(model)), 1, 2);
  EXPECT_THAT(parts_of(model), testing::ElementsAre("1", "norm", "output"));
  EXPECT_TRUE(layers->child("1")->is_wrapper());
}

TEST(ModelCut, CutsBlocksOfExperts) {
  const ModulePtr model = make_model("moe", {});
  keep_stage(model, 1, 2);
  EXPECT_THAT(parts_of(model), testing::ElementsAre("1", "norm", "output"));
  const std::vector<NamedParameter> parameters = parameters_of(model);
  EXPECT_TRUE(std::ranges::any_of(parameters, [](const auto& p) { return p.name == "layers.1.moe.experts.w1"; }));
}

}  // namespace
}  // namespace ordercheck::ranks
