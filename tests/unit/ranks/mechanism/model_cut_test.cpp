#include "ranks/mechanism/model_cut.h"

#include <algorithm>
#include <memory>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/mechanism/blocks.h"
#include "ranks/model/models.h"

namespace ordercheck::ranks {
namespace {

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
