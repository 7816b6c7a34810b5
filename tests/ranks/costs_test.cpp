// What each transform costs, to the last message and byte, against the table in tests/golden/costs.tsv: gathering
// everything and computing it on every rank would pass any parity test.
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "ranks/on_case.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

std::string cost_line(const std::string& stack, const Record& record) {
  std::ostringstream line;
  line << stack << '\t' << record.counters.matmul_flops << '\t' << record.counters.parameter_bytes_peak;
  std::vector<std::string> collectives;
  for (const CollectiveCount& c : record.collectives) {
    collectives.push_back(c.kind + " " + c.group + " " + name_of(c.phase) + " " + std::to_string(c.count) + " " +
                          std::to_string(c.bytes));
  }
  line << '\t' << (collectives.empty() ? "-" : join(collectives, "; "));
  return line.str();
}

TEST(Costs, AreThoseOfTheTable) {
  std::ifstream table(std::string(ORDERCHECK_SOURCE_DIR) + "/tests/golden/costs.tsv");
  ASSERT_TRUE(table) << "tests/golden/costs.tsv is missing";
  int lines = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++lines;
    const std::string stack = line.substr(0, line.find('\t'));
    EXPECT_EQ(cost_line(stack, known(stack)), line);
  }
  EXPECT_GT(lines, 0);
}

// The same figures from the textbook: what the table must say, computed from sizes.
class Textbook : public testing::TestWithParam<int> {
 protected:
  static std::int64_t count(const Record& record, const std::string& kind, const std::string& group, Phase phase) {
    for (const CollectiveCount& c : record.collectives) {
      if (c.kind == kind && c.group == group && c.phase == phase) return c.count;
    }
    return 0;
  }
  static std::int64_t bytes(const Record& record, const std::string& kind, const std::string& group, Phase phase) {
    for (const CollectiveCount& c : record.collectives) {
      if (c.kind == kind && c.group == group && c.phase == phase) return c.bytes;
    }
    return 0;
  }
  static std::int64_t bytes_of(const ParameterRecord& parameter) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : parameter.shape) elements *= dim;
    return elements * static_cast<std::int64_t>(sizeof(double));
  }
  static std::int64_t parameter_bytes(const Record& record) {
    std::int64_t bytes = 0;
    for (const ParameterRecord& parameter : record.parameters) bytes += bytes_of(parameter);
    return bytes;
  }
  const Settings settings_;  // 3 steps of 2 microbatches
  const int passes_ = settings_.steps * settings_.accumulation;
};

// Megatron-LM with sequence parallelism: two gathers and two scatters a block, one scatter for the embedding, one gather
// for the output, and the transposes of these in backward; three reductions for the split loss.
TEST_P(Textbook, TensorParallelism) {
  const Record record = known("tp=" + std::to_string(GetParam()));
  const int blocks = kUsualModel.layers;
  EXPECT_EQ(count(record, "all_gather", "tp", Phase::forward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "reduce_scatter", "tp", Phase::forward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "reduce_scatter", "tp", Phase::backward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "all_gather", "tp", Phase::backward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "all_reduce", "tp", Phase::forward), passes_ * 3);
  EXPECT_EQ(count(record, "all_reduce", "tp", Phase::backward), passes_ * (2 * blocks + 1)) << "one a norm weight";
  EXPECT_EQ(record.counters.matmul_flops * GetParam(), known("(nothing)").counters.matmul_flops);
}

// FSDP2: one gather a unit in forward, one a block again in backward (the root is kept), one scatter a unit; held at most:
// the shards, the root's parameters and one block's.
TEST_P(Textbook, FullySharded) {
  const Record record = known("fsdp=" + std::to_string(GetParam()));
  const int units = kUsualModel.layers + 1;
  EXPECT_EQ(count(record, "all_gather", "dp_shard", Phase::forward), passes_ * units);
  EXPECT_EQ(count(record, "all_gather", "dp_shard", Phase::backward), passes_ * kUsualModel.layers);
  EXPECT_EQ(count(record, "reduce_scatter", "dp_shard", Phase::backward), passes_ * units);
  EXPECT_EQ(record.counters.matmul_flops * GetParam(), known("(nothing)").counters.matmul_flops);
  const std::int64_t all = parameter_bytes(record);
  const std::int64_t root = 8 * (2 * kUsualModel.vocab * kUsualModel.dim + kUsualModel.dim);
  EXPECT_EQ(record.counters.parameter_bytes_peak, all / GetParam() + root + (all - root) / kUsualModel.layers);
}

// DDP: every replica holds all parameters; in every backward each bucket is summed once; values are sent once, at the
// start. All of this model fits the first bucket's 1 MiB.
TEST_P(Textbook, Replicated) {
  const std::string degree = std::to_string(GetParam());
  const Record record = known("ddp=" + degree);
  EXPECT_EQ(count(record, "all_reduce", "dp_replicate", Phase::backward), passes_);
  EXPECT_EQ(bytes(record, "all_reduce", "dp_replicate", Phase::backward), passes_ * parameter_bytes(record));
  EXPECT_EQ(count(record, "broadcast", "dp_replicate", Phase::apply), 1);
  EXPECT_EQ(bytes(record, "broadcast", "dp_replicate", Phase::apply), parameter_bytes(record));
  EXPECT_EQ(record.counters.parameter_bytes_peak, parameter_bytes(record));
  EXPECT_EQ(record.counters.matmul_flops * GetParam(), known("(nothing)").counters.matmul_flops);

  const Record once_a_step = known("ddp=" + degree + ":no_sync");
  EXPECT_EQ(count(once_a_step, "all_reduce", "dp_replicate", Phase::backward), settings_.steps);

  // Parameters from the last to the first, each into the open bucket if it fits; no bucket is above 64 KiB here, as no
  // parameter is.
  const Record small = known("ddp=" + degree + ":bucket_kib=64");
  std::int64_t buckets = 0, left = 0;
  for (auto parameter = small.parameters.rbegin(); parameter != small.parameters.rend(); ++parameter) {
    const std::int64_t size = bytes_of(*parameter);
    ASSERT_LE(size, 64 * 1024);
    if (buckets == 0 || size > left) ++buckets, left = 64 * 1024;
    left -= size;
  }
  EXPECT_GT(buckets, 1);
  EXPECT_EQ(count(small, "all_reduce", "dp_replicate", Phase::backward), passes_ * buckets);
  EXPECT_EQ(bytes(small, "all_reduce", "dp_replicate", Phase::backward), passes_ * parameter_bytes(small));
}

INSTANTIATE_TEST_SUITE_P(Degrees, Textbook, testing::Values(2, 4));

// 2 * tokens * in * out of one weight in every block, in one step.
std::int64_t product_in_every_block(std::int64_t in, std::int64_t out) {
  return 2 * kStep.sequences * kStep.sequence_length * in * out * kUsualModel.layers;
}

// Of one of attention's products in every block: 2 * queries * keys * head_dim of every head of every sequence.
std::int64_t product_of_attention() {
  return 2 * kStep.sequences * kStep.sequence_length * kStep.sequence_length * kUsualModel.heads * kUsualModel.head_dim *
         kUsualModel.layers;
}

std::int64_t last_product_of_blocks() { return product_in_every_block(kUsualModel.ffn_hidden, kUsualModel.dim); }

// The seven weights of every block.
std::int64_t linears_of_blocks() {
  const std::int64_t query_width = kUsualModel.heads * kUsualModel.head_dim,
                     key_width = kUsualModel.kv_heads * kUsualModel.head_dim;
  return product_in_every_block(kUsualModel.dim, query_width) + 2 * product_in_every_block(kUsualModel.dim, key_width) +
         product_in_every_block(query_width, kUsualModel.dim) +
         2 * product_in_every_block(kUsualModel.dim, kUsualModel.ffn_hidden) + last_product_of_blocks();
}

// A weight takes one product forward and two backward. Attention takes two forward, and backward, as torch counts them, five:
// the scores once more, and the gradients of weights, values, queries and keys.
TEST(Costs, AStepHasTheProductsOfItsSizes) {
  const std::int64_t output = 2 * kStep.sequences * kStep.sequence_length * kUsualModel.dim * kUsualModel.vocab;
  EXPECT_EQ(known("(nothing)").counters.matmul_flops, 3 * (linears_of_blocks() + output) + 7 * product_of_attention());
}

// Checkpointing runs each block's forward products once more, all but the last: its operands are the last tensors saved, and
// autograd saves them before it multiplies.
TEST(Costs, CheckpointingRunsForwardAgain) {
  const std::int64_t again = linears_of_blocks() + 2 * product_of_attention() - last_product_of_blocks();
  EXPECT_EQ(known("ac").counters.matmul_flops_recomputed, again);
  EXPECT_EQ(known("ac").counters.matmul_flops, known("(nothing)").counters.matmul_flops + again);
}

// A captured graph does eager's products, once each, and sends eager's messages: what it runs again is elementwise.
TEST(Costs, CompilationLeavesProductsAndMessagesAsTheyAre) {
  for (const auto& [eager, compiled] : {std::pair{"(nothing)", "compile"},
                                        {"(nothing)", "compile@model"},
                                        {"tp=2", "tp=2,compile"},
                                        {"fsdp=2", "compile,fsdp=2"},
                                        {"ddp=2", "compile,ddp=2"}}) {
    const Record before = known(eager), after = known(compiled);
    EXPECT_EQ(after.counters.matmul_flops, before.counters.matmul_flops) << compiled;
    EXPECT_EQ(after.counters.matmul_flops_recomputed, 0) << compiled;
    EXPECT_EQ(after.counters.parameter_bytes_peak, before.counters.parameter_bytes_peak) << compiled;
    EXPECT_LT(after.counters.saved_bytes_peak, before.counters.saved_bytes_peak) << compiled;
    EXPECT_EQ(after.collectives, before.collectives) << compiled;
  }
}

// Every product of the blocks, forward, again and backward, is in a graph: the step has no others but the output's three a
// microbatch, which are in scope with the model.
TEST(Costs, GraphsRunEveryProductOfTheirScope) {
  const std::int64_t blocks = known("compile").counters.products_in_scope;
  EXPECT_GT(blocks, 0);
  EXPECT_EQ(known("compile@model").counters.products_in_scope, blocks + 3 * Settings().accumulation);
  for (const char* text : {"compile", "compile@model", "compile:wrap", "ac,compile", "compile,ac", "sac,compile", "compile,sac",
                           "tp=2,compile", "compile,fsdp=2", "fsdp=2,compile", "fsdp=2,compile:wrap", "ddp=2,compile@model"}) {
    const Counters counters = known(text).counters;
    EXPECT_GE(counters.products_in_scope, blocks) << text;
    EXPECT_EQ(counters.products_in_graphs, counters.products_in_scope) << text;
  }
  for (const char* text : {"(nothing)", "ac", "tp=2"}) {
    EXPECT_EQ(known(text).counters.products_in_scope, 0) << text;
    EXPECT_EQ(known(text).counters.products_in_graphs, 0) << text;
  }
}

// A captured checkpoint leaves each block's last product out of its second run, as eager does. A checkpoint around a graph runs
// the graph as it is.
TEST(Costs, ACapturedCheckpointLeavesTheLastProductOut) {
  const std::int64_t again = known("ac").counters.matmul_flops_recomputed;
  EXPECT_EQ(known("ac,compile").counters.matmul_flops_recomputed, again);
  EXPECT_EQ(known("compile,ac").counters.matmul_flops_recomputed, again + last_product_of_blocks());
}

// Seven weights a block, in the order wq wk wv wo and those of the feed-forward: of every two the first is kept, and attention.
// Left to run again: wk, wo and one of the two that widen. The last weight's product is kept, and nobody asks for it.
TEST(Costs, TheDefaultPolicyRunsEverySecondLinearAgain) {
  const std::int64_t again = product_in_every_block(kUsualModel.dim, kUsualModel.kv_heads * kUsualModel.head_dim) +
                             product_in_every_block(kUsualModel.heads * kUsualModel.head_dim, kUsualModel.dim) +
                             product_in_every_block(kUsualModel.dim, kUsualModel.ffn_hidden);
  for (const char* text : {"sac", "sac,compile"}) {
    const Record record = known(text);
    EXPECT_EQ(record.counters.matmul_flops_recomputed, again) << text;
    EXPECT_EQ(record.counters.matmul_flops, known("(nothing)").counters.matmul_flops + again) << text;
    EXPECT_EQ(record.counters.operators_kept, kUsualModel.layers * Settings().accumulation * (3 + 1)) << text;
  }
}

}  // namespace
}  // namespace ordercheck::ranks
