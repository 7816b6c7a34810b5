#include "native/transform/placed_model.h"

#include <gtest/gtest.h>

#include "native/module/llama.h"
#include "native/transform/captured_body.h"
#include "stack/model_sizes.h"
#include "unit/graph/graph_builder.h"
#include "unit/native/arith/exactly.h"
#include "unit/native/transform/on_device_mesh.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

const placing::DeviceMesh kShardsAndTensors{{"dp_shard", 2}, {"tp", 2}};

at::Tensor tokens_of(int64_t samples) {
  return at::remainder(at::arange(samples * kStep.sequence_length, at::kLong) * 7 + 3, kUsualModel.vocab)
      .reshape({samples, kStep.sequence_length});
}

at::Tensor positions() { return at::arange(kStep.sequence_length, at::kLong); }

std::vector<SampleInput> batch_of_samples(int64_t samples) {
  return {{.tensor = tokens_of(samples), .has_samples = true}, {.tensor = positions()}};
}

// Whole numbers over a power of two, as a scaled loss hands them back.
at::Tensor tangent_for(int64_t samples) {
  const std::vector<int64_t> sizes{samples, kStep.sequence_length, kUsualModel.vocab};
  return at::remainder(at::arange(c10::multiply_integers(sizes), at::kDouble) * 5, 11).sub(5).div(64).reshape(sizes);
}

ModulePtr placed_llama(const RankState& rank, const std::vector<int64_t>& batches) {
  const ModulePtr model = make_llama(kUsualModel, {});
  PlacedModelOptions options{.mesh = rank.mesh, .rank = rank.rank, .axes = {"dp_shard", "tp"}};
  options.rules.batch_axes = {"dp_shard"};
  for (std::size_t at = 1; at < batches.size(); ++at) options.other_batches.push_back(batch_of_samples(batches[at]));
  place_by_plan(model, batch_of_samples(batches.front()), options);
  return model;
}

at::Tensor own_samples(const at::Tensor& whole, const RankState& rank) {
  return local_piece(whole, {{.axis = "dp_shard", .kind = Placement::Kind::shard, .dim = 0}}, rank.mesh, rank.rank)
      .contiguous();
}

// Names of what this rank computes otherwise than one device: the output, and gradients of parameters.
std::vector<std::string> differing(const ModulePtr& placed, int64_t samples, const RankState& rank, double scale = 1) {
  const ModulePtr whole = make_llama(kUsualModel, {});
  const at::Tensor expected = whole->call({tokens_of(samples), positions()});
  expected.backward(tangent_for(samples) * scale);
  const auto piece = [&](const at::Tensor& logits) {
    return local_piece(own_samples(logits, rank), placed->output_placements, rank.mesh, rank.rank).contiguous();
  };
  for (const NamedParameter& named : parameters_of(placed)) named.parameter->tensor.mutable_grad() = at::Tensor();
  const at::Tensor output = placed->call({own_samples(tokens_of(samples), rank), positions()});
  output.backward(piece(tangent_for(samples)));
  std::vector<std::string> names;
  if (!same_bits(output.detach().contiguous(), piece(expected.detach()))) names.emplace_back("output");
  const std::vector<NamedParameter> own = parameters_of(placed), all = parameters_of(whole);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const at::Tensor gradient =
        local_piece(all[at].parameter->tensor.grad(), own[at].parameter->placements, rank.mesh, rank.rank).contiguous();
    if (!same_bits(own[at].parameter->tensor.grad().contiguous(), gradient)) names.push_back(all[at].name);
  }
  return names;
}

// One plan, of a batch of 8: batches that the mesh divides compute as on one device, in any order, captured or not.
TEST(PlacedModel, A24RunsEveryBatchThatItWasTracedForByOnePlan) {
  const Exactly exactly(20);
  for (const bool is_captured : {false, true}) {
    complete(ranks_of(kShardsAndTensors), [&](RankState& rank) {
      const ModulePtr placed = placed_llama(rank, {8, 4, 12});
      if (is_captured) capture_body(*placed, {});
      for (const int64_t samples : {8, 4, 12, 8}) EXPECT_THAT(differing(placed, samples, rank), testing::IsEmpty()) << samples;
      EXPECT_FALSE(differing(placed, 4, rank, 2).empty()) << "twice the gradient is another one";
    });
  }
}

TEST(PlacedModel, A24RefusesABatchThatItWasNotTracedFor) {
  const WorldResult result = run(ranks_of(kShardsAndTensors), [&](RankState& rank) {
    const ModulePtr placed = placed_llama(rank, {8, 4});
    placed->call({own_samples(tokens_of(6), rank), positions()});
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message,
              HasSubstr("input 0 of a model placed by plan: expected this rank's piece to be [4, 24], got [3, 24]"));
}

TEST(PlacedModel, A24RefusesToBePlacedForABatchThatDoesNotReachEveryRank) {
  const WorldResult result = run(ranks_of(kShardsAndTensors), [&](RankState& rank) { placed_llama(rank, {8, 1}); });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message,
              HasSubstr("placement of input 0: a value of [1, 24] cannot be S(0)R on (dp_shard=2, tp=2)"));
}

placing::PlacementPlanner planner(std::int64_t columns, double link = 3) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  placing::GraphBuilder builder;
  const int x = builder.input({8, 4});
  builder.output(builder.op("aten::mm", {x, builder.parameter({4, columns})}, {8, columns}));
  placing::Machine machine = placing::h100(mesh);
  machine.links.front().bytes_per_us = link;
  return placing::PlacementPlanner::make(builder.graph(), mesh, machine).value();
}

TEST(KnownPlans, AreThePlannersOwn) {
  for (int asked = 0; asked < 2; ++asked) {
    for (const std::int64_t columns : {6, 8}) {
      const auto plan = plan_once(planner(columns));
      EXPECT_EQ(plan.value().nodes, planner(columns).solve().value().nodes);
    }
  }
}

// Another pin, bound, machine or count of what is ahead is another question.
TEST(KnownPlans, AreForOneQuestion) {
  const auto plain = plan_once(planner(8)).value();
  auto pinned = planner(8);
  const int parameter = placing::find_node(pinned.graph(), placing::Role::parameter, 0);
  const placing::Placements other{plain.nodes[parameter].results.front().front() == placing::shard(1) ? placing::shard(0)
                                                                                                      : placing::shard(1)};
  ASSERT_TRUE(pinned.pin(parameter, other));
  EXPECT_EQ(plan_once(pinned).value().nodes[parameter].results.front(), other);
  const auto fast = planner(8, 1e9);
  EXPECT_EQ(plan_once(fast).value().cost(), fast.solve().value().cost());
  const auto gathering = [](int percent) {
    auto asked = planner(8);
    const auto pin = [&](placing::Role role) {
      return asked.pin(placing::find_node(asked.graph(), role, 0), {placing::shard(0)});
    };
    EXPECT_TRUE(pin(placing::Role::parameter) && pin(placing::Role::output) && asked.count_prefetched(percent));
    return plan_once(asked).value();
  };
  EXPECT_LT(gathering(0).objective, gathering(100).objective);
  EXPECT_EQ(plan_once(planner(8)).value().nodes, plain.nodes);
}

TEST(KnownPlans, AQuestionWithoutAPlanIsAnsweredSoAgain) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  placing::GraphBuilder builder;
  const int weight = builder.parameter({4, 4});
  builder.output(builder.op("aten::mm", {builder.input({4, 4}), weight}, {4, 4}));
  builder.gradient(weight, 0);
  auto impossible = placing::PlacementPlanner::make(builder.graph(), mesh, placing::h100(mesh)).value();
  const auto pin = [&](placing::Role role, int dim) {
    return static_cast<bool>(impossible.pin(placing::find_node(impossible.graph(), role, 0), {placing::shard(dim)}));
  };
  ASSERT_TRUE(pin(placing::Role::parameter, 0));
  ASSERT_TRUE(pin(placing::Role::gradient_of_parameter, 1));
  for (int asked = 0; asked < 2; ++asked) {
    const auto plan = plan_once(impossible);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message, impossible.solve().error().message);
  }
}

}  // namespace
}  // namespace ordercheck::ranks
