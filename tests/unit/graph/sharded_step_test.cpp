#include "graph/sharded_step.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "graph/lifetimes.h"
#include "unit/graph/recorded_graph.h"

namespace ordercheck::captured {
namespace {

const GraphRecord& llama() {
  static const GraphRecord graph = placing::recorded_graphs("llama").front();
  return graph;
}

// The parameters of the recorded model, in its order: an embedding, nine of each block, the last norm and the output.
std::vector<std::string> names() {
  std::vector<std::string> all{"tok_embeddings.weight"};
  for (const char* block : {"layers.0.", "layers.1."})
    for (int at = 0; at < 9; ++at) all.push_back(block + std::to_string(at) + ".weight");
  all.insert(all.end(), {"norm.weight", "output.weight"});
  return all;
}

std::vector<ShardedMode> modes() {
  std::vector<ShardedMode> all;
  for (const bool again : {true, false})
    for (const bool block : {true, false})
      for (const bool ahead : {true, false}) all.push_back({.by_block = block, .one_ahead = ahead, .gathers_again = again});
  return all;
}

GraphRecord made(const ShardedMode& mode) { return sharded_step(llama(), names(), 4, mode); }

TEST(ShardedStep, IsAGraphThatReadsOnlyWhatIsThere) {
  for (const ShardedMode& mode : modes()) {
    const GraphRecord step = made(mode);
    EXPECT_TRUE(check_graph_record(step));
    std::set<int> there(step.inputs.begin(), step.inputs.end());
    there.insert(step.parameters.begin(), step.parameters.end());
    there.insert(step.tangents.begin(), step.tangents.end());
    for (const GraphNodeRecord& node : step.nodes) {
      for (const int value : node.operands) EXPECT_TRUE(there.contains(value)) << node.op << " reads " << value;
      there.insert(node.results.begin(), node.results.end());
    }
    for (const int value : step.gradients) EXPECT_TRUE(there.contains(value));
    EXPECT_EQ(step.gradients.size(), llama().gradients.size());
  }
}

// The products of the model, each once: sharding parameters changes where they come from, not what is computed.
TEST(ShardedStep, ComputesWhatTheWholeComputes) {
  const auto products = [](const GraphRecord& graph) {
    return std::ranges::count(graph.nodes, std::string("aten::mm"), &GraphNodeRecord::op);
  };
  for (const ShardedMode& mode : modes()) EXPECT_EQ(products(made(mode)), products(llama()));
}

TEST(ShardedStep, AParameterIsAShardAndSoIsItsGradient) {
  const GraphRecord step = made({.by_block = true});
  for (std::size_t at = 0; at < step.parameters.size(); ++at) {
    const auto whole = bytes_of(llama(), llama().parameters[at]);
    EXPECT_EQ(bytes_of(step, step.parameters[at]) * 4, whole);
    EXPECT_EQ(bytes_of(step, step.gradients[at]) * 4, whole);
  }
}

TEST(ShardedModes, CostWhatTheyOwe) {
  const auto costs = costs_of_modes(llama(), names(), 4, stated_machine());
  ASSERT_TRUE(costs);
  ASSERT_EQ(costs->size(), 6U);
  const ShardedCost &alone = (*costs)[0], &blocks = (*costs)[1], &ahead = (*costs)[2], &kept = (*costs)[3];
  EXPECT_EQ(alone.scatters, 21);
  EXPECT_EQ(kept.gathers, 21);
  // The embedding is not read in backward.
  EXPECT_EQ(alone.gathers, 21 + 20);
  EXPECT_EQ(blocks.scatters, 5);
  EXPECT_EQ(blocks.gathers, 5 + 4);
  EXPECT_LT(blocks.timeline.sending, alone.timeline.sending);
  EXPECT_EQ(blocks.timeline.exposed, blocks.timeline.sending);
  EXPECT_EQ(ahead.timeline.sending, blocks.timeline.sending);
  EXPECT_LT(ahead.timeline.exposed, blocks.timeline.exposed);
  EXPECT_LT(alone.held_bytes, kept.held_bytes);
}

}  // namespace
}  // namespace ordercheck::captured
