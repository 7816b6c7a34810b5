#include "native/transform/parametrization.h"

#include <map>
#include <string>

#include "native/graph/saved_tensors.h"
#include "native/module/models.h"
#include "native/transform/distributed_experts.h"
#include "native/transform/parallel_style.h"
#include "native/transform/sharded_blocks.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGather = "_c10d_functional::all_gather_into_tensor", kScatter = "_c10d_functional::reduce_scatter_tensor",
                  kReduce = "_c10d_functional::all_reduce", kWait = "_c10d_functional::wait_tensor";

// One parameter, read as often as it is called.
class Owner final : public ModuleOf<Owner> {
 public:
  explicit Owner(ParameterPtr parameter) : ModuleOf("Owner") { set_parameter("weight", std::move(parameter)); }
  at::Tensor read() { return use("weight"); }

 protected:
  at::Tensor forward(const Tensors& inputs) override { return inputs[0] * use("weight"); }
};

std::shared_ptr<Owner> owner_of(at::IntArrayRef sizes, bool trained = true) {
  return std::make_shared<Owner>(make_parameter(numbers(sizes, 0), sizes.vec(), {}, trained));
}

ParametrizationOptions over(const RankState& rank, const std::string& shards, const std::string& replicas = "") {
  return {.shards = shards, .replicas = replicas, .mesh = rank.mesh, .rank = rank.rank};
}

// By kind, of all groups.
std::map<std::string, std::int64_t> sent(const RankState& rank) {
  std::map<std::string, std::int64_t> by_kind;
  for (const CollectiveCount& count : rank.collectives()) by_kind[count.kind] += count.count;
  return by_kind;
}

// Small integers: their sums have the same bits in any order.
at::Tensor tangent_of(int rank, at::IntArrayRef sizes) {
  return at::arange(1, 1 + c10::multiply_integers(sizes), at::kDouble).reshape(sizes) * (rank + 1);
}

at::Tensor sum_of_tangents(int ranks, at::IntArrayRef sizes) {
  at::Tensor sum = tangent_of(0, sizes);
  for (int rank = 1; rank < ranks; ++rank) sum = sum + tangent_of(rank, sizes);
  return sum;
}

// Whether each rank reads the whole, and gets its piece of the sum of all gradients.
void expect_whole_and_back(int degree, const std::vector<int64_t>& sizes) {
  complete(mesh_with({{"dp_shard", degree}}), [&](RankState& rank) {
    const auto module = owner_of(sizes);
    const at::Tensor whole = module->parameter("weight")->tensor.detach();
    parametrize(module, over(rank, "dp_shard"));
    const ParameterPtr parameter = module->parameter("weight");
    const Span mine = chunk_of(sizes[0], degree, rank.rank);
    const at::Tensor read = module->read();
    const bool reads_whole = same_bits(parameter->tensor.detach(), whole.narrow(0, mine.start, mine.length).contiguous()) &&
                             same_bits(read.detach().contiguous(), whole);
    read.backward(tangent_of(rank.rank, sizes));
    const bool sums = same_bits(parameter->tensor.grad().contiguous(),
                                sum_of_tangents(degree, sizes).narrow(0, mine.start, mine.length).contiguous());
    EXPECT_TRUE(reads_whole && sums) << sizes[0] << " rows over " << degree << ", rank " << rank.rank;
  });
}

TEST(Parametrization, ReadsAreWholeAndGradientsArePiecesOfTheSum) {
  for (int degree = 1; degree <= 5; ++degree)
    for (int64_t rows = 1; rows <= 7; ++rows) {
      expect_whole_and_back(degree, {rows, 3});
      expect_whole_and_back(degree, {rows});
    }
}

TEST(Parametrization, OfReplicasIsTheParameterAndItsGradientTheirSum) {
  complete(mesh_with({{"dp_replicate", 3}}), [](RankState& rank) {
    const auto module = owner_of({4, 3});
    const at::Tensor whole = module->parameter("weight")->tensor.detach();
    parametrize(module, over(rank, "", "dp_replicate"));
    EXPECT_TRUE(same_bits(module->read().detach(), whole));
    module->read().backward(tangent_of(rank.rank, {4, 3}));
    EXPECT_TRUE(same_bits(module->parameter("weight")->tensor.grad(), sum_of_tangents(3, {4, 3})));
    EXPECT_EQ(sent(rank), (std::map<std::string, std::int64_t>{{"all_reduce", 1}}));
    EXPECT_EQ(print(module->parameter("weight")->placements), "dp_replicate: replicate");
  });
}

TEST(Parametrization, OfReplicatedShardsSumsOverBoth) {
  complete(mesh_with({{"dp_replicate", 2}, {"dp_shard", 2}}), [&](RankState& rank) {
    const auto module = owner_of({4, 3});
    parametrize(module, over(rank, "dp_shard", "dp_replicate"));
    module->read().backward(tangent_of(rank.rank, {4, 3}));
    const ParameterPtr parameter = module->parameter("weight");
    const at::Tensor owed = sum_of_tangents(4, {4, 3}).narrow(0, 2 * coordinate_of(rank.mesh, rank.rank, "dp_shard"), 2);
    EXPECT_TRUE(same_bits(parameter->tensor.grad(), owed.contiguous()));
    EXPECT_EQ(sent(rank), (std::map<std::string, std::int64_t>{{"all_gather", 1}, {"reduce_scatter", 1}, {"all_reduce", 1}}));
  });
}

// Tensor parallelism cut it first, along the same dim and along another, evenly and unevenly.
TEST(Parametrization, CutsFurtherWhatIsCut) {
  for (const int64_t dim : {0, 1}) {
    for (const int64_t rows : {10, 12}) {
      const Mesh mesh = mesh_with({{"dp_shard", 2}, {"tp", 2}});
      std::vector<at::Tensor> pieces(4);
      Placements placements;
      complete(mesh, [&](RankState& rank) {
        const auto module = owner_of({rows, 6});
        const Placements of_tp{{.axis = "tp", .kind = Placement::Kind::shard, .dim = dim}};
        module->set_parameter("weight", distribute(*module->parameter("weight"), of_tp, mesh, rank.rank));
        const at::Tensor local = module->parameter("weight")->tensor.detach();
        parametrize(module, over(rank, "dp_shard"));
        EXPECT_TRUE(same_bits(module->read().detach().contiguous(), local));
        pieces[static_cast<std::size_t>(rank.rank)] = module->parameter("weight")->tensor.detach();
        if (rank.rank == 0) placements = module->parameter("weight")->placements;
      });
      const auto piece_of = [&](int rank) { return pieces[static_cast<std::size_t>(rank)]; };
      EXPECT_TRUE(same_bits(assemble(placements, mesh, every_rank(mesh), piece_of), numbers({rows, 6}, 0)))
          << print(placements);
      std::reverse(placements.begin(), placements.end());
      if (dim == 0 && rows == 12)
        EXPECT_FALSE(same_bits(assemble(placements, mesh, every_rank(mesh), piece_of), numbers({rows, 6}, 0)))
            << "the other order";
    }
  }
}

// What was there between a parameter and its use is there still, behind the gather: its gradient is summed over tp first.
TEST(Parametrization, StandsBeforeWhatOthersDoWithTheWhole) {
  complete(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [](RankState& rank) {
    const auto module = owner_of({4});
    work_on_sequence_piece(*module, {.axis = "tp", .mesh = rank.mesh, .rank = rank.rank, .sequence = true});
    parametrize(module, over(rank, "dp_shard"));
    EXPECT_EQ(print(module->parameter("weight")->placements), "tp: replicate, dp_shard: shard(0)");
    module->read().backward(tangent_of(rank.rank, {4}));
    const at::Tensor owed = sum_of_tangents(4, {4}).narrow(0, 2 * coordinate_of(rank.mesh, rank.rank, "dp_shard"), 2);
    EXPECT_TRUE(same_bits(module->parameter("weight")->tensor.grad(), owed.contiguous()));
  });
}

TEST(Parametrization, LeavesWhatIsFrozenFrozenAndSendsNothingBack) {
  complete(mesh_with({{"dp_replicate", 2}, {"dp_shard", 2}}), [](RankState& rank) {
    const auto frozen = owner_of({4, 3}, /*trained=*/false);
    parametrize(frozen, over(rank, "dp_shard", "dp_replicate"));
    EXPECT_FALSE(frozen->parameter("weight")->tensor.requires_grad());
    frozen->call({variable(numbers({4, 3}, 1))}).sum().backward();
    EXPECT_EQ(sent(rank), (std::map<std::string, std::int64_t>{{"all_gather", 1}}));
  });
}

TEST(Parametrization, KeepsAParameterInTwoSlotsOne) {
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) {
    const auto first = owner_of({4, 3}), second = std::make_shared<Owner>(first->parameter("weight"));
    const auto parent = owner_of({1});
    parent->set_child("first", first);
    parent->set_child("second", second);
    parametrize(parent, over(rank, "dp_shard"));
    EXPECT_EQ(first->parameter("weight"), second->parameter("weight"));
    (first->read() + second->read()).backward(tangent_of(rank.rank, {4, 3}));
    const at::Tensor owed = 2 * sum_of_tangents(2, {4, 3}).narrow(0, 2 * rank.rank, 2);
    EXPECT_TRUE(same_bits(first->parameter("weight")->tensor.grad(), owed.contiguous()));
    EXPECT_EQ(sent(rank), (std::map<std::string, std::int64_t>{{"all_gather", 2}, {"reduce_scatter", 2}}));
  });
}

TEST(Parametrization, TellsWhoBoundTheParameterNothing) {
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const auto module = owner_of({4});
    const ParameterPtr bound = module->parameter("weight");
    parametrize(module, over(rank, "dp_shard"));
    EXPECT_NE(bound, module->parameter("weight"));
    EXPECT_TRUE(bound->placements.empty());
  });
}

TEST(Parametrization, LeavesWhatHasNoElement) {
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const auto module = owner_of({0, 3});
    parametrize(module, over(rank, "dp_shard"));
    EXPECT_TRUE(module->parameter("weight")->placements.empty());
    EXPECT_EQ(module->read().numel(), 0);
  });
}

TEST(Parametrization, RefusesAScalarAndWhatIsPlacedOverItsAxis) {
  const Mesh mesh = mesh_with({{"dp_shard", 2}});
  const WorldResult scalar = run(mesh, [](RankState& rank) { parametrize(owner_of({}), over(rank, "dp_shard")); });
  ASSERT_EQ(scalar.ending, Ending::failed);
  EXPECT_THAT(scalar.failure->message, HasSubstr("Cannot shard along dim 0 over axis 'dp_shard' a parameter of 0 dims"));
  const WorldResult twice = run(mesh, [](RankState& rank) {
    const auto module = owner_of({4});
    for (int i = 0; i < 2; ++i) parametrize(module, over(rank, "dp_shard"));
  });
  ASSERT_EQ(twice.ending, Ending::failed);
  EXPECT_THAT(twice.failure->message, HasSubstr("already placed over it (dp_shard: shard(0))"));
}

// Before and behind: who distributes a parameter over another axis wants a whole one.
TEST(Parametrization, IsRefusedByWhoDistributesLater) {
  const WorldResult result = run(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [](RankState& rank) {
    const auto module = owner_of({4, 4});
    parametrize(module, over(rank, "dp_shard"));
    distribute(*module->parameter("weight"), {{.axis = "tp"}}, rank.mesh, rank.rank);
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr("Cannot distribute over axis 'tp'"));
}

constexpr ModelSizes kTiny{.layers = 2, .dim = 8, .heads = 4, .kv_heads = 2, .head_dim = 2, .ffn_hidden = 8, .vocab = 12};
constexpr ExpertSizes kTinyExperts{.experts = 4, .chosen = 2, .hidden = 4, .shared_hidden = 4};

// Of 4 experts on 2 ranks of ep, 2 ranks that have the same two can split them; 4 ranks cannot, and split each.
TEST(Parametrization, CutsDistributedExpertsOverTheRanksThatHaveTheSame) {
  for (const int degree : {4, 8}) {
    const Mesh mesh{.degrees = mesh_with({{"dp_shard", degree}}).degrees, .ep = 2};
    const std::string of_experts = degree == 4 ? "ep: shard(0), edp: shard(0)" : "ep: shard(0), edp: shard(1)";
    std::vector<std::map<std::string, at::Tensor>> pieces(static_cast<std::size_t>(degree));
    std::map<std::string, Placements> placements;
    complete(mesh, [&](RankState& rank) {
      const ModulePtr model = make_moe(kTiny, kTinyExperts, {});
      for (const ModulePtr& block : blocks_of(model))
        distribute_experts(*block->child("moe")->child("experts"), {.mesh = mesh, .rank = rank.rank});
      parametrize(model, over(rank, "dp_shard"));
      for (const NamedParameter& named : parameters_of(model)) {
        const bool is_expert = named.name.find("moe.experts") != std::string::npos;
        EXPECT_EQ(print(named.parameter->placements), is_expert ? of_experts : "dp_shard: shard(0)") << named.name;
        EXPECT_EQ(named.parameter->used().numel() * (is_expert ? 2 : 1), c10::multiply_integers(named.parameter->full_shape));
        pieces[static_cast<std::size_t>(rank.rank)][named.name] = named.parameter->tensor.detach();
        if (rank.rank == 0) placements[named.name] = named.parameter->placements;
      }
    });
    for (const NamedParameter& named : parameters_of(make_moe(kTiny, kTinyExperts, {}))) {
      const at::Tensor joined = assemble(placements.at(named.name), mesh, every_rank(mesh),
                                         [&](int rank) { return pieces[static_cast<std::size_t>(rank)].at(named.name); });
      EXPECT_TRUE(same_bits(joined, named.parameter->tensor.detach())) << named.name;
    }
  }
}

std::vector<std::string> names_of(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) names.push_back(node.name());
  return names;
}

GraphPtr captured(const std::shared_ptr<Owner>& module, const at::Tensor& x) {
  const GraphPtr graph =
      record("", [&](const Tensors& in) { return module->call(in); }, {x}, {module->parameter("weight")->tensor});
  optimize(*graph);
  return graph;
}

TEST(Parametrization, ItsCollectivesAreNodesOfAGraphInThisOrder) {
  complete(mesh_with({{"dp_replicate", 2}, {"dp_shard", 2}}), [](RankState& rank) {
    const auto shards = owner_of({4, 3}), both = owner_of({4, 3}), uneven = owner_of({5, 3});
    for (const auto& module : {shards, uneven}) parametrize(module, over(rank, "dp_shard"));
    parametrize(both, over(rank, "dp_shard", "dp_replicate"));
    EXPECT_THAT(names_of(captured(shards, variable(numbers({4, 3}, 1)))->forward), ElementsAre(kGather, kWait, "aten::mul"));
    EXPECT_THAT(names_of(captured(shards, numbers({4, 3}, 1))->backward), ElementsAre("aten::mul", kScatter, kWait));
    EXPECT_THAT(names_of(captured(both, variable(numbers({4, 3}, 1)))->forward), ElementsAre(kGather, kWait, "aten::mul"));
    EXPECT_THAT(names_of(captured(both, numbers({4, 3}, 1))->backward),
                ElementsAre("aten::mul", kScatter, kWait, kReduce, kWait));
    EXPECT_THAT(names_of(captured(uneven, numbers({5, 3}, 1))->forward),
                ElementsAre("aten::constant_pad_nd", kGather, kWait, "aten::slice", "aten::mul"));
    EXPECT_THAT(names_of(captured(uneven, numbers({5, 3}, 1))->backward),
                ElementsAre("aten::mul", "aten::slice_backward", kScatter, kWait, "aten::slice"));
  });
}

// Where one rank pads all do: graphs of ranks differ in no node, and what one sends all send in the same place.
TEST(Parametrization, GraphsOfAllRanksHaveTheSameNodes) {
  std::vector<std::vector<std::string>> of_ranks(4);
  complete(mesh_with({{"dp_shard", 4}}), [&](RankState& rank) {
    const auto module = owner_of({5, 3});  // 2, 2, 1 and no row
    parametrize(module, over(rank, "dp_shard"));
    const GraphPtr graph = captured(module, variable(numbers({5, 3}, 1)));
    of_ranks[static_cast<std::size_t>(rank.rank)] = names_of(graph->forward);
    for (const std::string& name : names_of(graph->backward)) of_ranks[static_cast<std::size_t>(rank.rank)].push_back(name);
  });
  for (const auto& names : of_ranks) EXPECT_EQ(names, of_ranks[0]);
}

TEST(Parametrization, AGraphGathersAgainUnlessItIsToldToKeep) {
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    for (const CheckpointPolicy policy : {CheckpointPolicy::must_recompute, CheckpointPolicy::must_save}) {
      const auto module = owner_of({4, 3});
      ParametrizationOptions options = over(rank, "dp_shard");
      options.policy = policy;
      parametrize(module, options);
      const at::Tensor x = variable(numbers({4, 3}, 1));
      const GraphPtr graph = captured(module, x);
      EXPECT_EQ(count(graph->backward, kGather), policy == CheckpointPolicy::must_recompute ? 1 : 0) << print(*graph);
      expect_equal_both_ways([&](const Tensors& in) { return module->call(in); }, {x}, {module->parameter("weight")->tensor});
    }
  });
}

// The item's word, and where it has none, the mesh's stages.
TEST(Parametrization, KeepsWhatItGatheredByDefaultWhereTheMeshHasStages) {
  for (const auto& [reshard, stages, again] :
       {std::tuple{"", 1, true}, {"", 2, false}, {"default", 2, false}, {"always", 2, true}, {"never", 1, false}}) {
    complete(mesh_with({{"pp", stages}, {"dp_shard", 2}}), [&](RankState& rank) {
      Item item{.name = "simple_fsdp"};
      if (*reshard) item.options.push_back({.name = "reshard", .value = reshard});
      const auto module = owner_of({4, 3});
      parametrize_as_item_says({module}, item, over(rank, "dp_shard"));
      const GraphPtr graph = captured(module, variable(numbers({4, 3}, 1)));
      EXPECT_EQ(count(graph->backward, kGather), again ? 1 : 0) << reshard << " with " << stages << " stages";
    });
  }
}

// Eagerly, what autograd saved of a read stays until its backward; of a read that saves nothing, nothing does.
TEST(Parametrization, HoldsTheWholeForAsLongAsItIsRead) {
  install_saved_tensor_hooks();
  complete(mesh_with({{"dp_shard", 2}}), [](RankState& rank) {
    const auto module = owner_of({4, 3});
    const std::int64_t before = rank.parameters_held.held(), whole = 4 * 3 * 8;
    parametrize(module, over(rank, "dp_shard"));
    EXPECT_EQ(rank.parameters_held.held(), before - whole / 2);
    at::Tensor y = module->call({variable(numbers({4, 3}, 1))});
    EXPECT_EQ(rank.parameters_held.held(), before + whole / 2);
    EXPECT_EQ(rank.saved_for_backward.held(), 4 * 3 * 8) << "the input, and not the parameter";
    y.sum().backward();
    y.reset();
    EXPECT_EQ(rank.parameters_held.held(), before - whole / 2);
    module->read();
    EXPECT_EQ(rank.parameters_held.held(), before - whole / 2);
  });
}

}  // namespace
}  // namespace ordercheck::ranks
