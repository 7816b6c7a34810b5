// Data parallelism whose collectives are in the graph (simple_fsdp, simple_hsdp, simple_replicate): what it sends and holds, without
// a graph and in one, to the last message. That its numbers are one rank's, parity_test.cpp holds.
#include <algorithm>
#include <map>
#include <utility>

#include <gmock/gmock.h>

#include "ranks/on_case.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kInBlock = 9;  // four of attention, three of the feed-forward network, two norms
constexpr std::int64_t kInBlocks = kUsualModel.layers * kInBlock;
constexpr std::int64_t kParameters = kInBlocks + 3;  // and embedding, norm and output
// Backward of the embedding reads indices alone.
constexpr std::int64_t kReadInBackward = kParameters - 1;

const std::string kGather = "_c10d_functional::all_gather_into_tensor", kScatter = "_c10d_functional::reduce_scatter_tensor",
                  kReduce = "_c10d_functional::all_reduce", kWait = "_c10d_functional::wait_tensor";

std::int64_t microbatches() { return std::int64_t{Settings().steps} * Settings().accumulation; }

// Of a microbatch: by kind, group and phase.
std::map<std::string, std::int64_t> sent(const std::string& text) {
  std::map<std::string, std::int64_t> counts;
  for (const CollectiveCount& c : known(text).collectives) {
    if (c.phase != Phase::forward && c.phase != Phase::recompute && c.phase != Phase::backward) continue;
    EXPECT_EQ(c.count % microbatches(), 0) << text << ": " << c.kind << " on " << c.group;
    counts[c.kind + " " + c.group + " " + name_of(c.phase)] = c.count / microbatches();
  }
  return counts;
}
using Sent = std::map<std::string, std::int64_t>;

std::int64_t bytes_of(const Record& record, const std::string& kind, Phase phase) {
  std::int64_t bytes = 0;
  for (const CollectiveCount& c : record.collectives)
    if (c.kind == kind && c.phase == phase) bytes += c.bytes;
  return bytes / microbatches();
}

std::int64_t bytes_of(const ParameterRecord& parameter) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : parameter.shape) elements *= dim;
  return elements * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t bytes_of(const std::string& parameter) {
  const auto& all = known("(nothing)").parameters;
  return bytes_of(*std::ranges::find(all, parameter, &ParameterRecord::name));
}

std::int64_t all_bytes() {
  std::int64_t bytes = 0;
  for (const ParameterRecord& parameter : known("(nothing)").parameters) bytes += bytes_of(parameter);
  return bytes;
}

std::vector<GraphRecord> graphs_of(const std::string& text) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  Record record = run_case({.subject = case_of(text), .keep = Keep::graphs}, nullptr, {});
  EXPECT_EQ(record.ending, Ending::completed) << text;
  return std::move(record.graphs);
}

std::int64_t nodes(const GraphRecord& graph, const std::string& op, bool backward) {
  return std::ranges::count_if(graph.nodes, [&](const auto& node) { return node.op == op && node.backward == backward; });
}

TEST(GraphSharding, EveryModeSendsItsCollectivesForEachParameter) {
  EXPECT_EQ(sent("simple_replicate=2"), (Sent{{"all_reduce dp_replicate backward", kParameters}}));
  EXPECT_EQ(sent("simple_fsdp=2"),
            (Sent{{"all_gather dp_shard forward", kParameters}, {"reduce_scatter dp_shard backward", kParameters}}));
  EXPECT_EQ(sent("simple_hsdp=2x2"), (Sent{{"all_gather dp_shard forward", kParameters},
                                           {"reduce_scatter dp_shard backward", kParameters},
                                           {"all_reduce dp_replicate backward", kParameters}}));
  EXPECT_EQ(bytes_of(known("simple_replicate=2"), "all_reduce", Phase::backward), all_bytes());
  EXPECT_EQ(bytes_of(known("simple_fsdp=4"), "all_gather", Phase::forward), all_bytes() / 4);
  EXPECT_EQ(bytes_of(known("simple_fsdp=4"), "reduce_scatter", Phase::backward), all_bytes());
  EXPECT_EQ(bytes_of(known("simple_hsdp=2x2"), "all_reduce", Phase::backward), all_bytes() / 2) << "of shards";
}

// The groups of FSDP2 send more at once, and compute the same bits.
TEST(GraphSharding, GivesTheBitsOfFsdp2) {
  for (const auto& [graph, hooks] : {std::pair{"simple_fsdp=4", "fsdp=4"},
                                     {"simple_fsdp=4,compile@model", "fsdp=4"},
                                     {"tp=2,ac,simple_fsdp=2,compile@model", "tp=2,ac,compile,fsdp=2"},
                                     {"simple_hsdp=2x2,compile@model", "hsdp=2x2"},
                                     {"simple_replicate=2,compile@model", "replicate=2"}}) {
    const auto difference = first_difference(known(hooks), known(graph));
    EXPECT_FALSE(difference) << graph << ": " << in_words(*difference);
  }
}

// Nobody partitions, so nobody gathers again: what backward reads stays.
TEST(GraphSharding, WithoutAGraphNothingIsResharded) {
  for (const char* text : {"simple_fsdp=2", "simple_fsdp=2:reshard=always", "simple_fsdp=2:reshard=never"}) {
    EXPECT_EQ(sent(text), sent("simple_fsdp=2")) << text;
    EXPECT_EQ(known(text).counters.parameter_bytes_peak, all_bytes() / 2 + all_bytes() - bytes_of("tok_embeddings.weight"))
        << text;
  }
}

TEST(GraphSharding, InAGraphReshardingIsGatheringAgain) {
  const Sent kept{{"all_gather dp_shard forward", kParameters}, {"reduce_scatter dp_shard backward", kParameters}};
  Sent again = kept;
  again["all_gather dp_shard recompute"] = kReadInBackward;
  EXPECT_EQ(sent("simple_fsdp=2,compile@model"), again);
  EXPECT_EQ(sent("simple_fsdp=2:reshard=always,compile@model"), again);
  EXPECT_EQ(sent("simple_fsdp=2:reshard=never,compile@model"), kept);
  again["all_reduce dp_replicate backward"] = kParameters;
  EXPECT_EQ(sent("simple_hsdp=2x2,compile@model"), again);
  EXPECT_EQ(sent("simple_replicate=2,compile@model"), sent("simple_replicate=2"));
}

// Held at once, beside the shards: all that backward reads, or the largest that an operator reads.
TEST(GraphSharding, InAGraphReshardingHoldsOneParameterAtATime) {
  const std::int64_t shards = all_bytes() / 2;
  EXPECT_EQ(known("simple_fsdp=2:reshard=never,compile@model").counters.parameter_bytes_peak,
            shards + all_bytes() - bytes_of("tok_embeddings.weight"));
  std::int64_t largest = 0;
  for (const ParameterRecord& parameter : known("(nothing)").parameters) largest = std::max(largest, bytes_of(parameter));
  EXPECT_EQ(known("simple_fsdp=2,compile@model").counters.parameter_bytes_peak, shards + largest);
}

// Backward of a checkpoint has the gathers of its second run; to keep is for these, too.
TEST(GraphSharding, CheckpointsGatherAgainUnlessAGraphIsToldToKeep) {
  const Sent first{{"all_gather dp_shard forward", kParameters}, {"reduce_scatter dp_shard backward", kParameters}};
  const auto with = [&](std::int64_t again) {
    Sent both = first;
    both["all_gather dp_shard recompute"] = again;
    return both;
  };
  EXPECT_EQ(sent("ac,simple_fsdp=2"), with(kInBlocks));
  EXPECT_EQ(sent("simple_fsdp=2,ac"), with(kInBlocks));
  EXPECT_EQ(sent("sac,simple_fsdp=2"), with(kInBlocks));
  EXPECT_EQ(sent("sac:policy=gather,simple_fsdp=2"), first) << "a policy that keeps gathers";
  EXPECT_EQ(sent("ac,simple_fsdp=2,compile@model"), with(kReadInBackward));
  EXPECT_EQ(sent("ac,simple_fsdp=2:reshard=never,compile@model"), first);
}

TEST(GraphSharding, AFrozenParameterIsGatheredAndSendsNothingBack) {
  for (const char* text : {"simple_fsdp=2 model=llama_frozen", "simple_fsdp=2,compile@model model=llama_frozen"}) {
    Sent counts = sent(text);
    EXPECT_EQ(counts["all_gather dp_shard forward"], kParameters) << text;
    EXPECT_EQ(counts["reduce_scatter dp_shard backward"], kParameters - 1) << text;
  }
}

// Without a graph each read gathers; in one, reads of a parameter are merged. Gradients come by each read.
TEST(GraphSharding, ReadsOfOneParameterAreOneGatherOfAGraph) {
  EXPECT_EQ(sent("simple_fsdp=2 model=llama_tied"),
            (Sent{{"all_gather dp_shard forward", kParameters}, {"reduce_scatter dp_shard backward", kParameters}}));
  EXPECT_EQ(sent("simple_fsdp=2 model=llama_shared")["all_gather dp_shard forward"], kParameters + kInBlock);
  for (const auto& [model, reads, parameters] :
       {std::tuple{"llama_tied", kParameters, kParameters - 1}, {"llama_shared", kParameters + kInBlock, kParameters}}) {
    const auto graphs = graphs_of(std::string("simple_fsdp=2,compile@model model=") + model);
    ASSERT_EQ(graphs.size(), 1u);
    EXPECT_EQ(nodes(graphs[0], kGather, false), parameters) << model;
    EXPECT_EQ(nodes(graphs[0], kGather, true), model == std::string("llama_tied") ? parameters : parameters - 1) << model;
    EXPECT_EQ(nodes(graphs[0], kScatter, true), reads) << model;
  }
}

// A gather reads a parameter, its wait reads the gather, and a scatter's wait is a gradient: what passes over the graph go by.
TEST(GraphSharding, CollectivesStandBetweenParametersAndTheirGradients) {
  const auto graphs = graphs_of("simple_fsdp=2,compile@model");
  ASSERT_EQ(graphs.size(), 1u);
  const GraphRecord& graph = graphs[0];
  ASSERT_EQ(graph.parameters.size(), static_cast<std::size_t>(kParameters));
  std::vector<int> gathered, waited, scattered;
  for (const GraphNodeRecord& node : graph.nodes) {
    if (node.op == kGather) {
      ASSERT_EQ(node.operands.size(), 1u);
      EXPECT_TRUE(std::ranges::count(graph.parameters, node.operands[0])) << node.arguments;
      EXPECT_EQ(node.recomputed, node.backward);
      gathered.push_back(node.results[0]);
    } else if (node.op == kScatter) {
      scattered.push_back(node.results[0]);
    } else if (node.op == kWait) {
      const bool of_gather = std::ranges::count(gathered, node.operands[0]) > 0;
      EXPECT_TRUE(of_gather || std::ranges::count(scattered, node.operands[0])) << node.arguments;
      if (!of_gather) EXPECT_TRUE(std::ranges::count(graph.gradients, node.results[0])) << node.arguments;
      waited.push_back(node.operands[0]);
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(gathered.size()), kParameters + kReadInBackward);
  EXPECT_EQ(static_cast<std::int64_t>(scattered.size()), kParameters);
  EXPECT_EQ(waited.size(), gathered.size() + scattered.size());
  for (const int saved : graph.saved) EXPECT_FALSE(std::ranges::count(gathered, saved)) << "a gathered parameter is saved";
}

TEST(GraphSharding, OverReplicatedShardsTheReductionsFollowEachOther) {
  const auto graphs = graphs_of("simple_hsdp=2x2,compile@model");
  ASSERT_EQ(graphs.size(), 1u);
  std::map<int, std::string> makers;
  std::int64_t reduced = 0;
  for (const GraphNodeRecord& node : graphs[0].nodes) {
    if (node.op == kReduce) {
      EXPECT_EQ(makers[node.operands[0]], kWait + " of " + kScatter);
      ++reduced;
    }
    std::string maker = node.op;
    if (node.op == kWait) maker += " of " + makers[node.operands[0]];
    for (const int result : node.results) makers[result] = maker;
  }
  EXPECT_EQ(reduced, kParameters);
}

// A stage has a graph of its own, keeps what it gathered, and reduces in every microbatch.
TEST(GraphSharding, AStageKeepsByDefaultAndReducesInEveryMicrobatch) {
  const std::int64_t of_stage = kInBlock + 1;  // a block and the embedding
  const auto count = [](const std::string& text, const std::string& kind, Phase phase) {
    std::int64_t sum = 0;
    for (const CollectiveCount& c : known(text).collectives)
      if (c.kind == kind && c.group == "dp_shard" && c.phase == phase) sum += c.count;
    return sum / Settings().steps;
  };
  const std::string kept = "pp=2:microbatches=4,simple_fsdp=2,compile@model",
                    again = "pp=2:microbatches=4,simple_fsdp=2:reshard=always,compile@model";
  for (const std::string& text : {kept, again}) {
    EXPECT_EQ(count(text, "all_gather", Phase::forward), 4 * of_stage) << text;
    EXPECT_EQ(count(text, "reduce_scatter", Phase::backward), 4 * of_stage) << text;
  }
  EXPECT_EQ(count(kept, "all_gather", Phase::recompute), 0);
  EXPECT_EQ(count(again, "all_gather", Phase::recompute), 4 * kInBlock);
}

// Ranks of cp have other tokens: one group of both axes, and no sum behind backward.
TEST(GraphSharding, TakesTheRanksOfContextParallelismIn) {
  EXPECT_EQ(sent("cp=2,simple_fsdp=2")["reduce_scatter world backward"], kParameters);
  EXPECT_EQ(sent("cp=2,simple_fsdp=2")["all_gather world forward"], kParameters);
}

// The optimizer and the record take the pieces as they are.
TEST(GraphSharding, NobodyGathersOutsideTheForwardAndItsBackward) {
  for (const char* text : {"simple_fsdp=4,optimizer=adamw:clip=1.0", "simple_hsdp=2x2,compile@model"})
    for (const CollectiveCount& c : known(text).collectives)
      if (c.phase != Phase::forward && c.phase != Phase::recompute && c.phase != Phase::backward)
        EXPECT_EQ(c.kind, "all_reduce") << text << ", in " << name_of(c.phase) << ": of norms and losses";
}

// Orders that break by themselves; and an optimizer that keeps parameters that are no longer the model's.
TEST(GraphSharding, WhoDistributesWhatIsDistributedIsRefused) {
  for (const auto& [text, axis] : {std::pair{"simple_fsdp=2,tp=2", "tp"},
                                   {"simple_replicate=2,tp=2", "tp"},
                                   {"simple_fsdp=4,ep=2 model=moe", "ep"},
                                   {"fsdp=2,simple_fsdp=2", "dp_shard"}}) {
    const Record record = known(text);
    ASSERT_EQ(record.ending, Ending::failed) << text;
    EXPECT_EQ(record.failure->phase, Phase::apply) << text;
    EXPECT_THAT(record.failure->message, HasSubstr(std::string("Cannot distribute over axis '") + axis + "'")) << text;
  }
  const Record early = known("optimizer=adamw,simple_fsdp=2");
  EXPECT_TRUE(std::ranges::none_of(early.parameters, &ParameterRecord::changed));
}

}  // namespace
}  // namespace ordercheck::ranks
