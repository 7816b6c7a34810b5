// Bucketing and overlap of the collectives in a graph (compile@model over simple_fsdp:bucket): what is sent, and that no bit changes.
#include <algorithm>
#include <map>
#include <utility>

#include <gmock/gmock.h>

#include "ranks/on_case.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

// The embedding, each block, and the norm with the output.
constexpr std::int64_t kBuckets = kUsualModel.layers + 2;

struct MessageSum {
  std::int64_t count = 0, bytes = 0;
  friend bool operator==(const MessageSum&, const MessageSum&) = default;
};
using Messages = std::map<std::pair<std::string, Phase>, MessageSum>;

// Of a microbatch.
Messages messages_of(const std::string& text) {
  Messages all;
  const Case c = case_of(text);
  const std::int64_t times = std::int64_t{c.settings.steps} * c.settings.accumulation;
  for (const CollectiveCount& one : known(text).collectives) {
    if (one.group != "dp_shard" || one.phase == Phase::observe || one.phase == Phase::optimizer) continue;
    all[{one.kind, one.phase}] = {.count = one.count / times, .bytes = one.bytes / times};
  }
  return all;
}

TEST(GraphBucketing, SendsTheSameBytesInOneCollectiveABucket) {
  const Messages apart = messages_of("simple_fsdp=2,compile@model"),
                 together = messages_of("simple_fsdp=2:bucket=transformer_block,compile@model");
  ASSERT_EQ(apart.size(), together.size());
  for (const auto& [what, traffic] : apart) EXPECT_EQ(together.at(what).bytes, traffic.bytes) << what.first;
  EXPECT_EQ(together.at({"all_gather", Phase::forward}).count, kBuckets);
  EXPECT_EQ(together.at({"all_gather", Phase::recompute}).count, kBuckets - 1)
      << "backward of the embedding reads indices alone";
  EXPECT_EQ(together.at({"reduce_scatter", Phase::backward}).count, kBuckets);
}

TEST(GraphBucketing, ReduceScattersAlsoWhereNothingIsGatheredAgain) {
  const Messages together = messages_of("simple_fsdp=2:bucket=transformer_block:reshard=never,compile@model");
  EXPECT_FALSE(together.contains({"all_gather", Phase::recompute}));
  EXPECT_EQ(together.at({"reduce_scatter", Phase::backward}).count, kBuckets);
}

struct Mode {
  std::string name, option;
};

const std::vector<Mode>& modes_of_buckets() {
  static const std::vector<Mode> modes{
      {"none", ""},
      {"by block", ":bucket=transformer_block"},
      {"by name", ":bucket=manual:bucket_modules=layers.0.attention+layers.1+norm"},
      {"by time", ":bucket=auto"},
  };
  return modes;
}

// Gathers of forward and reduce-scatters of backward, of parameters, of a microbatch; by mode.
std::vector<std::int64_t> sent_by_modes(const std::string& before, const std::string& end, const char* kind, Phase phase) {
  std::vector<std::int64_t> counts;
  for (const Mode& mode : modes_of_buckets()) {
    const std::string text = before + mode.option + end;
    std::int64_t count = 0;
    for (const auto& [what, sum] : messages_of(text))
      if (what == std::pair<std::string, Phase>(kind, phase)) count += sum.count;
    counts.push_back(count);
  }
  return counts;
}

// With which a mixture of experts stays within the range of exact arithmetic for ten steps.
struct Job {
  std::string model, optimizer;
};
const std::vector<Job> kJobs{{"llama", "adamw"}, {"moe", "adamw:lr=3e-4"}};

TEST(GraphBucketing, NoModeChangesABitOverTenSteps) {
  for (const Job& job : kJobs)
    for (const char* before : {"simple_fsdp=2", "tp=2,simple_fsdp=2", "tp=2,ac,simple_fsdp=2"}) {
      const std::string end = ",compile@model,optimizer=" + job.optimizer + " model=" + job.model + " steps=10";
      const Record& apart = known(before + end);
      ASSERT_EQ(apart.ending, Ending::completed) << before << end;
      EXPECT_TRUE(apart.parity_owed);
      EXPECT_EQ(apart.steps.size(), 10U);
      for (const Mode& mode : modes_of_buckets()) {
        const Record& together = known(before + mode.option + end);
        ASSERT_EQ(together.ending, Ending::completed) << mode.name << ": " << before << end;
        const auto difference = first_difference(apart, together);
        EXPECT_FALSE(difference) << mode.name << ": " << before << end << ": " << in_words(*difference);
      }
    }
}

// That the comparison above is one of other messages. Compile breaks a mixture of experts into graphs of its parts, and a bucket is of
// one graph.
TEST(GraphBucketing, EveryModeSendsFewerCollectivesThanNone) {
  using testing::ElementsAre;
  // What is computed with a bucket decides how much is sent with the next one, and with tensor parallelism there is more of it.
  for (const auto& [before, by_time] : {std::pair{"simple_fsdp=2", 3}, {"tp=2,simple_fsdp=2", 2}})
    for (const auto& [kind, phase] : {std::pair{"all_gather", Phase::forward}, {"reduce_scatter", Phase::backward}}) {
      EXPECT_THAT(sent_by_modes(before, ",compile@model", kind, phase), ElementsAre(21, 4, 10, by_time)) << before << kind;
      EXPECT_THAT(sent_by_modes(before, ",compile@model model=moe", kind, phase), ElementsAre(29, 15, 19, 23))
          << before << kind;
    }
}

// The second run of a checkpoint gathers in backward, and its gathers have the names of the first.
TEST(GraphBucketing, GathersThatACheckpointRunsAgainAreInBucketsToo) {
  for (const char* checkpoint : {"ac", "sac"}) {
    const Messages apart = messages_of(checkpoint + std::string(",simple_fsdp=2,compile@model")),
                   together = messages_of(checkpoint + std::string(",simple_fsdp=2:bucket=transformer_block,compile@model"));
    EXPECT_GT(apart.at({"all_gather", Phase::recompute}).count, kBuckets) << checkpoint;
    EXPECT_EQ(together.at({"all_gather", Phase::recompute}).count, kBuckets - 1) << checkpoint;
    EXPECT_EQ(together.at({"all_gather", Phase::recompute}).bytes, apart.at({"all_gather", Phase::recompute}).bytes);
    EXPECT_EQ(together.at({"reduce_scatter", Phase::backward}).count, kBuckets) << checkpoint;
  }
}

// A step of one microbatch and of four: each reduces its own buckets.
TEST(GraphBucketing, EveryMicrobatchReducesItsBuckets) {
  for (const char* accumulation : {"1", "4"}) {
    const std::string end = std::string(",compile@model accumulation=") + accumulation;
    const std::string together = "simple_fsdp=2:bucket=transformer_block" + end;
    EXPECT_EQ(messages_of(together).at({"reduce_scatter", Phase::backward}).count, kBuckets) << end;
    const auto difference = first_difference(known("simple_fsdp=2" + end), known(together));
    EXPECT_FALSE(difference) << end << ": " << in_words(*difference);
  }
}

// Tied weights are read twice. Where the pass that merges equal operators comes behind the buckets, one of these has them twice: in
// forward, and in the backward that a partition makes of it.
TEST(GraphBucketing, SendReadsOfOneParameterTwiceWhereTheyWereNotMerged) {
  const auto gathered = [](const std::string& passes) {
    std::int64_t bytes = 0;
    for (const auto& [what, traffic] :
         messages_of("simple_fsdp=2:bucket=transformer_block,compile:passes=" + passes + "@model model=llama_tied"))
      bytes += what.first == "all_gather" ? traffic.bytes : 0;
    return bytes;
  };
  std::int64_t embedding = 0;
  for (const ParameterRecord& parameter : known("(nothing) model=llama_tied").parameters)
    if (parameter.name == "tok_embeddings.weight") embedding = parameter.shape[0] * parameter.shape[1] * 8 / 2;
  ASSERT_GT(embedding, 0);
  const std::int64_t merged = gathered("common+partition+bucket");
  EXPECT_EQ(gathered("partition+common+bucket"), merged);
  EXPECT_EQ(gathered("partition+bucket+common"), merged + embedding);
  EXPECT_EQ(gathered("bucket+common+partition"), merged + 2 * embedding);
}

// Backward of the embedding reads indices alone. The bucket of forward has the whole model.
TEST(GraphBucketing, GatherAgainWhatForwardsBucketHasWhereThePartitionComesBehind) {
  const auto gathered_again = [](const std::string& passes) {
    return messages_of("simple_fsdp=2:bucket=auto,compile:passes=" + passes + "@model").at({"all_gather", Phase::recompute});
  };
  const MessageSum behind = gathered_again("partition+bucket"), before = gathered_again("bucket+partition");
  EXPECT_EQ(behind.count, 1);
  EXPECT_EQ(before.count, 1);
  EXPECT_EQ(before.bytes - behind.bytes, std::int64_t{kUsualModel.vocab} * kUsualModel.dim * 8 / 2);
}

TEST(GraphBucketing, WithoutAGraphOfTheWholeModelNothingIsMerged) {
  EXPECT_EQ(messages_of("simple_fsdp=2:bucket=transformer_block"), messages_of("simple_fsdp=2"));
  EXPECT_EQ(messages_of("simple_replicate=2:bucket=transformer_block,compile@model"),
            messages_of("simple_replicate=2,compile@model"));
}

TEST(GraphBucketing, AnAllReduceOverReplicasStaysOneAParameter) {
  const auto reduced = [](const std::string& text) {
    std::int64_t count = 0;
    for (const CollectiveCount& one : known(text).collectives)
      if (one.kind == "all_reduce" && one.phase == Phase::backward) count += one.count;
    return count;
  };
  EXPECT_EQ(reduced("simple_hsdp=2x2:bucket=transformer_block,compile@model"), reduced("simple_hsdp=2x2,compile@model"));
  EXPECT_EQ(messages_of("simple_hsdp=2x2:bucket=transformer_block,compile@model").at({"reduce_scatter", Phase::backward}).count,
            kBuckets);
}

}  // namespace
}  // namespace ordercheck::ranks
