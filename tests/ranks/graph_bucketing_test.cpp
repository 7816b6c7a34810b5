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

// A mixture of experts leaves the range of exact arithmetic before the tenth step.
TEST(GraphBucketing, ChangesNoBitOverManySteps) {
  for (const auto& [model, steps] : {std::pair{"", "10"}, {" model=moe", "6"}})
    for (const char* before : {"simple_fsdp=2", "tp=2,simple_fsdp=2", "tp=2,ac,simple_fsdp=2"}) {
      const std::string end = std::string(",compile@model,optimizer=adamw") + model + " steps=" + steps;
      const Record &apart = known(before + end), &together = known(before + std::string(":bucket=transformer_block") + end);
      ASSERT_EQ(apart.ending, Ending::completed) << before << end;
      ASSERT_EQ(together.ending, Ending::completed) << before << end;
      const auto difference = first_difference(apart, together);
      EXPECT_FALSE(difference) << before << end << ": " << in_words(*difference);
    }
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
