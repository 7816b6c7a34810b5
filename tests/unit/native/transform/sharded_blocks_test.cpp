#include "native/transform/sharded_blocks.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "native/module/models.h"
#include "native/transform/attribute.h"
#include "native/transform/distributed_experts.h"
#include "native/transform/on_gradient.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

constexpr ModelSizes kSmallMixture{
    .layers = 2, .dim = 8, .heads = 4, .kv_heads = 2, .head_dim = 2, .ffn_hidden = 8, .vocab = 12};
constexpr ExpertSizes kFewExperts{.experts = 8, .chosen = 2, .hidden = 4, .shared_hidden = 4};

// Four ranks, of which each two hold the same experts.
const Mesh kSharded = mesh_with({{"dp_shard", 4}});
const Mesh kCarved{.degrees = kSharded.degrees, .ep = 2};

ModulePtr mixtures() { return make_moe(kSmallMixture, kFewExperts, {}); }

ModulePtr experts_of(const ModulePtr& block) { return attribute(attribute(block, "moe"), "experts"); }

ModulePtr distributed_mixtures(const RankState& rank) {
  const ModulePtr model = mixtures();
  for (const ModulePtr& block : blocks_of(model))
    distribute_experts(*experts_of(block), {.mesh = rank.mesh, .rank = rank.rank});
  return model;
}

void shard(const ModulePtr& model, const RankState& rank, Scope scope, const std::string& reshard = "default") {
  shard_blocks_and_root(model, scope, reshard, {.mesh = rank.mesh, .rank = rank.rank});
}

void run_forward(const ModulePtr& model) { model->call({at::arange(6, at::kLong).view({1, 6}), at::arange(6, at::kLong)}); }

// Who is a unit refuses to be copied.
std::vector<std::string> units_of(const ModulePtr& model) {
  std::vector<std::string> units;
  for (const ModulePtr& module : modules_of(model))
    if (!module->refuses_copy.empty()) units.push_back(module->plain_path());
  return units;
}

// How often each group gathered.
std::map<std::string, std::int64_t> gathers(const RankState& rank) {
  std::map<std::string, std::int64_t> by_group;
  for (const CollectiveCount& count : rank.collectives())
    if (count.kind == "all_gather") by_group[count.group] += count.count;
  return by_group;
}

TEST(ShardedBlocks, AreUnitsBesideTheRoot) {
  complete(kSharded, [](RankState& rank) {
    const ModulePtr model = mixtures();
    shard(model, rank, Scope::block);
    EXPECT_THAT(units_of(model), testing::ElementsAre("", "layers.0", "layers.1"));
    for (const NamedParameter& named : parameters_of(model))
      EXPECT_EQ(print(named.parameter->placements), "dp_shard: shard(0)") << named.name;
    run_forward(model);
    EXPECT_EQ(gathers(rank), (std::map<std::string, std::int64_t>{{"dp_shard", 3}}));
  });
}

TEST(ShardedBlocks, ShardDistributedExpertsByThemselvesOverTheRanksThatHoldTheSame) {
  complete(kCarved, [](RankState& rank) {
    const ModulePtr model = distributed_mixtures(rank);
    shard(model, rank, Scope::block);
    EXPECT_THAT(units_of(model),
                testing::ElementsAre("", "layers.0", "layers.0.moe.experts", "layers.1", "layers.1.moe.experts"));
    for (const NamedParameter& named : parameters_of(model)) {
      const bool is_expert = named.name.find("moe.experts") != std::string::npos;
      EXPECT_EQ(print(named.parameter->placements), is_expert ? "ep: shard(0), edp: shard(0)" : "dp_shard: shard(0)")
          << named.name;
    }
    run_forward(model);
    EXPECT_EQ(gathers(rank), (std::map<std::string, std::int64_t>{{"dp_shard", 3}, {"edp", 2}}));
  });
}

// Each rank keeps the rows that its placements say, of every parameter.
TEST(ShardedBlocks, KeepThePiecesThatPlacementsTell) {
  std::vector<std::map<std::string, at::Tensor>> pieces(4);
  std::map<std::string, Placements> placements;
  complete(kCarved, [&](RankState& rank) {
    const ModulePtr model = distributed_mixtures(rank);
    shard(model, rank, Scope::block);
    for (const NamedParameter& named : parameters_of(model)) {
      pieces[static_cast<std::size_t>(rank.rank)][named.name] = named.parameter->tensor.detach();
      if (rank.rank == 0) placements[named.name] = named.parameter->placements;
    }
  });
  for (const NamedParameter& named : parameters_of(mixtures())) {
    const at::Tensor joined = assemble(placements.at(named.name), kCarved, every_rank(kCarved),
                                       [&](int rank) { return pieces[static_cast<std::size_t>(rank)].at(named.name); });
    EXPECT_TRUE(same_bits(joined, named.parameter->tensor.detach())) << named.name;
  }
}

TEST(ShardedBlocks, WithTheScopeModelTheRootIsTheOnlyUnitButForDistributedExperts) {
  complete(kCarved, [](RankState& rank) {
    const ModulePtr plain = mixtures(), distributed = distributed_mixtures(rank);
    shard(plain, rank, Scope::model);
    EXPECT_THAT(units_of(plain), testing::ElementsAre(""));
    shard(distributed, rank, Scope::model);
    EXPECT_THAT(units_of(distributed), testing::ElementsAre("", "layers.0.moe.experts", "layers.1.moe.experts"));
  });
}

TEST(ShardedBlocks, WithTheScopeExpertsTheRootTakesTheRestOfABlock) {
  complete(kCarved, [](RankState& rank) {
    for (const bool distributed : {false, true}) {
      const ModulePtr model = distributed ? distributed_mixtures(rank) : mixtures();
      shard(model, rank, Scope::experts);
      EXPECT_THAT(units_of(model), testing::ElementsAre("", "layers.0.moe.experts", "layers.1.moe.experts"));
      const std::string of_experts = print(experts_of(blocks_of(model)[0])->parameter("w1")->placements);
      EXPECT_EQ(of_experts, distributed ? "ep: shard(0), edp: shard(0)" : "dp_shard: shard(0)");
    }
  });
}

TEST(ShardedBlocks, RefuseTheScopeExpertsWithoutAny) {
  const WorldResult result = run(kSharded, [](RankState& rank) { shard(make_llama(kSmallMixture, {}), rank, Scope::experts); });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr("'TransformerBlock' has no attribute 'moe'"));
}

TEST(ShardedBlocks, RefuseCopies) {
  const WorldResult result = run(kSharded, [](RankState& rank) {
    const ModulePtr model = mixtures();
    model->deep_copy();
    shard(model, rank, Scope::block);
    model->child("layers")->child("1")->deep_copy();
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr("FSDP does not support deepcopy"));
}

ParameterPtr weight_of(const ModulePtr& model, const char* name) { return model->child(name)->parameter("weight"); }

// What both slots hold is one parameter, in shards and gathered.
TEST(ShardedBlocks, KeepAParameterInTwoSlotsOfAGroupOne) {
  complete(kSharded, [](RankState& rank) {
    for (const Scope scope : {Scope::block, Scope::model}) {
      const ModulePtr model = make_llama(kSmallMixture, {.tied = true});
      shard(model, rank, scope, "never");
      EXPECT_EQ(weight_of(model, "output"), weight_of(model, "tok_embeddings"));
      EXPECT_EQ(print(weight_of(model, "output")->placements), "dp_shard: shard(0)");
      run_forward(model);
      EXPECT_EQ(weight_of(model, "output"), weight_of(model, "tok_embeddings"));
      EXPECT_EQ(print(weight_of(model, "output")->placements), "replicated");
    }
  });
}

TEST(ShardedBlocks, SendAParameterInTwoSlotsOnce) {
  complete(kSharded, [](RankState& rank) {
    const auto gathered = [&rank](bool tied) {
      const auto bytes = [&rank] {
        std::int64_t sum = 0;
        for (const CollectiveCount& count : rank.collectives()) sum += count.bytes;
        return sum;
      };
      const std::int64_t before = bytes();
      const ModulePtr model = make_llama(kSmallMixture, {.tied = tied});
      shard(model, rank, Scope::model);
      run_forward(model);
      return bytes() - before;
    };
    const std::int64_t shard_of_weight =
        kSmallMixture.vocab * kSmallMixture.dim * static_cast<std::int64_t>(sizeof(double)) / 4;
    EXPECT_EQ(gathered(false) - gathered(true), shard_of_weight);
  });
}

// A group takes a slot's parameter for its own; the slot of another group shares it no longer.
TEST(ShardedBlocks, PartAParameterInSlotsOfTwoGroups) {
  complete(kSharded, [](RankState& rank) {
    const ModulePtr model = make_llama(kSmallMixture, {});
    const ModulePtr block_norm = attribute(blocks_of(model)[0], "ffn_norm");
    block_norm->set_parameter("weight", weight_of(model, "norm"));
    shard(model, rank, Scope::block);
    EXPECT_NE(block_norm->parameter("weight"), weight_of(model, "norm"));
  });
}

struct Resharding {
  std::string reshard;
  bool block_is_freed, root_is_freed;
};

class Reshard : public testing::TestWithParam<Resharding> {};

// A slot holds the whole parameter for as long as it is gathered.
TEST_P(Reshard, SaysWhatAForwardFrees) {
  complete(kCarved, [](RankState& rank) {
    const ModulePtr model = distributed_mixtures(rank);
    shard(model, rank, Scope::block, GetParam().reshard);
    run_forward(model);
    for (const NamedParameter& named : parameters_of(model)) {
      const bool in_block = named.name.starts_with("layers.");
      const bool is_freed =
          is_placed_over(named.parameter->placements, "dp_shard") || is_placed_over(named.parameter->placements, "edp");
      EXPECT_EQ(is_freed, in_block ? GetParam().block_is_freed : GetParam().root_is_freed) << named.name;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Options, Reshard,
                         testing::Values(Resharding{"default", true, false}, Resharding{"always", true, true},
                                         Resharding{"never", false, false}),
                         [](const auto& info) { return info.param.reshard; });

// As FSDP2 calls the post-accumulate-grad hooks of a sharded parameter: with the shard of the sum, and once.
TEST(ShardedBlocks, CallWhatHangsOnAShardWhenItsGradientIsReduced) {
  complete(kSharded, [](RankState& rank) {
    const ModulePtr model = mixtures();
    shard(model, rank, Scope::block);
    const auto run_backward = [&] {
      model->call({at::arange(6, at::kLong).view({1, 6}), at::arange(6, at::kLong)}).sum().backward();
    };
    run_backward();
    std::map<std::string, at::Tensor> reduced, seen;
    for (const NamedParameter& named : parameters_of(model)) {
      reduced[named.name] = std::exchange(named.parameter->tensor.mutable_grad(), {});
      on_gradient(named.parameter->tensor, [&seen, named] {
        EXPECT_TRUE(seen.try_emplace(named.name, named.parameter->tensor.grad()).second) << named.name << ": twice";
        named.parameter->tensor.mutable_grad().reset();
      });
    }
    run_backward();
    EXPECT_EQ(seen.size(), reduced.size());
    for (const auto& [name, gradient] : seen) EXPECT_TRUE(same_bits(gradient, reduced[name])) << name;
    for (const NamedParameter& named : parameters_of(model))
      EXPECT_FALSE(named.parameter->tensor.grad().defined()) << named.name;
  });
}

}  // namespace
}  // namespace ordercheck::ranks
