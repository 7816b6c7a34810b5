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
    EXPECT_EQ(cost_line(stack, run(case_of(stack))), line);
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
  static std::int64_t parameter_bytes(const Record& record) {
    std::int64_t elements = 0;
    for (const ParameterRecord& parameter : record.parameters) {
      std::int64_t size = 1;
      for (const std::int64_t dim : parameter.shape) size *= dim;
      elements += size;
    }
    return elements * static_cast<std::int64_t>(sizeof(double));
  }
  const Settings settings_;  // 3 steps of 2 microbatches
  const int passes_ = settings_.steps * settings_.accumulation;
};

// Megatron-LM with sequence parallelism: two gathers and two scatters a block, one scatter for the embedding, one gather
// for the output, and the transposes of these in backward; three reductions for the split loss.
TEST_P(Textbook, TensorParallelism) {
  const Record record = run(case_of("tp=" + std::to_string(GetParam())));
  const int blocks = kLlama.layers;
  EXPECT_EQ(count(record, "all_gather", "tp", Phase::forward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "reduce_scatter", "tp", Phase::forward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "reduce_scatter", "tp", Phase::backward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "all_gather", "tp", Phase::backward), passes_ * (2 * blocks + 1));
  EXPECT_EQ(count(record, "all_reduce", "tp", Phase::forward), passes_ * 3);
  EXPECT_EQ(count(record, "all_reduce", "tp", Phase::backward), passes_ * (2 * blocks + 1)) << "one a norm weight";
  EXPECT_EQ(record.counters.matmul_flops * GetParam(), run(case_of("(nothing)")).counters.matmul_flops);
}

// FSDP2: one gather a unit in forward, one a block again in backward (the root is kept), one scatter a unit; held at most:
// the shards, the root's parameters and one block's.
TEST_P(Textbook, FullySharded) {
  const Record record = run(case_of("fsdp=" + std::to_string(GetParam())));
  const int units = kLlama.layers + 1;
  EXPECT_EQ(count(record, "all_gather", "dp_shard", Phase::forward), passes_ * units);
  EXPECT_EQ(count(record, "all_gather", "dp_shard", Phase::backward), passes_ * kLlama.layers);
  EXPECT_EQ(count(record, "reduce_scatter", "dp_shard", Phase::backward), passes_ * units);
  EXPECT_EQ(record.counters.matmul_flops * GetParam(), run(case_of("(nothing)")).counters.matmul_flops);
  const std::int64_t all = parameter_bytes(record);
  const std::int64_t root = 8 * (2 * kLlama.vocab * kLlama.dim + kLlama.dim);
  EXPECT_EQ(record.counters.parameter_bytes_peak, all / GetParam() + root + (all - root) / kLlama.layers);
}

INSTANTIATE_TEST_SUITE_P(Degrees, Textbook, testing::Values(2, 4));

// Checkpointing runs each block's forward matmuls once more, all of them: the last one's operands are the last tensors
// saved, and an autograd function saves after it has run.
TEST(Costs, CheckpointingRunsForwardAgain) {
  const std::int64_t plain = run(case_of("(nothing)")).counters.matmul_flops;
  const std::int64_t tokens = kStep.sequences * kStep.sequence_length;
  const std::int64_t output = 3 * 2 * tokens * kLlama.dim * kLlama.vocab;  // forward and both gradients
  const std::int64_t blocks_forward = (plain - output) / 3;
  EXPECT_EQ(run(case_of("ac")).counters.matmul_flops, plain + blocks_forward);
}

}  // namespace
}  // namespace ordercheck::ranks
