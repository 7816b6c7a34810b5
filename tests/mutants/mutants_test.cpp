// Small errors put in on purpose are seen, each where it is; the twin without the error passes.
#include "ranks/module/mutants.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

struct Expectation {
  std::string mutant;
  std::string stack;
  // The first thing that differs; "effect" where every bit is there and the effect is missing, "deadlock" where ranks wait for
  // each other for ever.
  std::string first;
};

const std::vector<Expectation>& table() {
  static const std::vector<Expectation> lines{
      {"epsilon", "(nothing)", "loss"},
      {"mask_bit", "(nothing)", "loss"},
      {"position", "(nothing)", "loss"},
      {"drop_sum", "tp=2", "gradient of layers.0.attention_norm.weight"},
      {"double_sum", "tp=2", "gradient of layers.0.attention_norm.weight"},
      {"scale", "fsdp=2", "gradient of tok_embeddings.weight"},
      {"local_tokens", "fsdp=2", "gradient of tok_embeddings.weight"},
      {"norm_replicas", "tp=2", "gradient norm"},
      {"shard_order", "tp=2,fsdp=2", "gradient of tok_embeddings.weight"},
      {"skip_microbatch", "fsdp=2", "gradient of tok_embeddings.weight"},
      {"average", "ddp=2", "gradient of tok_embeddings.weight"},
      {"skip_bucket", "ddp=2", "gradient of tok_embeddings.weight"},
      {"skip_bucket", "ddp=2:bucket_kib=64", "gradient of tok_embeddings.weight"},
      {"next_kept", "sac", "gradient of tok_embeddings.weight"},
      {"untouched", "ac", "effect"},
      {"untouched", "sac", "effect"},
      {"untouched", "compile", "effect"},
      {"untouched", "compile:wrap@model", "effect"},
      {"untouched", "ddp=2", "loss"},
      {"no_broadcast", "ddp=2", "loss"},
      {"no_broadcast", "compile,ddp=2", "loss"},
      {"pad_front", "fsdp=5", "loss"},
      {"pad_front", "ac,fsdp=5", "loss"},
      {"unused_graph", "compile", "effect"},
      {"unused_graph", "compile:wrap@model", "effect"},
      {"other_microbatch", "pp=2:microbatches=4", "gradient of tok_embeddings.weight"},
      {"lost_replicas", "hsdp=2x2", "gradient of tok_embeddings.weight"},
      {"lost_replicas", "replicate=2", "gradient of tok_embeddings.weight"},
      {"own_tokens", "cp=2:ring", "gradient of tok_embeddings.weight"},
      {"other_microbatch", "pp=2:zbv:microbatches=4", "gradient of tok_embeddings.weight"},
      {"expert_scale", "ep=2:etp=2,tp=2,fsdp=2 model=moe", "gradient of layers.0.moe.experts.w1"},
      {"own_tokens", "cp=2", "gradient of tok_embeddings.weight"},
      {"detached_router", "(nothing) model=moe", "gradient of tok_embeddings.weight"},
      {"idle_expert", "ep=8,fsdp=8 model=moe", "deadlock"},
      {"expert_scale", "ep=2,fsdp=2 model=moe", "gradient of layers.0.moe.experts.w1"},
      {"fresh_random", "ac model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"fresh_random", "ac:reentrant model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"fresh_random", "sac model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"fresh_random", "compile,ac model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"fresh_random", "ac,compile model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"fresh_random", "pp=2:zbv:microbatches=4,ac model=llama_dropout", "gradient of tok_embeddings.weight"},
      {"first_positions", "tp=2 model=llama_dropout", "loss"},
      {"zero_gradient", "fsdp=2", "gradient of tok_embeddings.weight"},
  };
  return lines;
}

class Seen : public testing::TestWithParam<Expectation> {};

TEST_P(Seen, AndItsTwinPasses) {
  const auto& [mutant, stack, first] = GetParam();
  const Case subject = case_of(stack);
  const Record twin = run(subject);
  const auto twin_difference = first_difference(reference(subject), twin);
  ASSERT_FALSE(twin_difference) << in_words(*twin_difference);

  const Record record = run(subject, mutant);
  if (first == "deadlock") {
    EXPECT_EQ(record.ending, Ending::deadlocked);
    return;
  }
  ASSERT_EQ(record.ending, Ending::completed) << record.failure->message;
  const auto difference = first_difference(reference(subject), record);
  if (first == "effect") {
    EXPECT_FALSE(difference);
    EXPECT_TRUE(effect_of(subject, 0, twin, reference(subject)).present);
    EXPECT_FALSE(effect_of(subject, 0, record, reference(subject)).present);
    return;
  }
  ASSERT_TRUE(difference) << mutant << " was not seen";
  EXPECT_EQ(difference->what, first);
  EXPECT_EQ(difference->step, 0);
}

INSTANTIATE_TEST_SUITE_P(Mutants, Seen, testing::ValuesIn(table()), [](const auto& info) {
  std::string name = info.param.mutant + "_" + info.param.stack;
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

// What degrees that divide every size cannot show: all that was run before fsdp=5 was.
TEST(Mutants, PaddingAtTheFrontIsNotSeenWhereNoShardIsPadded) {
  for (const char* stack : {"fsdp=2", "fsdp=3", "fsdp=4", "tp=2,fsdp=3"}) {
    const Case subject = case_of(stack);
    EXPECT_FALSE(first_difference(reference(subject), run(subject, "pad_front"))) << stack;
  }
}

struct RangeExit {
  std::string mutant;
  std::string stack;
};

class LeavesTheRange : public testing::TestWithParam<RangeExit> {};

// One rank is in range, so that this layout is not is a difference; a run that keeps its tensors goes on, and tells which
// is the first.
TEST_P(LeavesTheRange, AndDiffersWhereItsTwinPasses) {
  const auto& [mutant, stack] = GetParam();
  const Case subject = case_of(stack);
  ASSERT_FALSE(first_difference(reference(subject), run(subject)));
  const Record record = run(subject, mutant);
  EXPECT_EQ(record.ending, Ending::out_of_range);
  const Observation seen = judge(
      {.subject = subject, .first = record, .again = {}, .reference = reference(subject), .recommended = {}, .twins = {}});
  EXPECT_EQ(seen.verdict, Verdict::differs) << seen.message;

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("past_the_range_" + mutant);
  std::filesystem::create_directories(folder);
  const Record kept =
      run_case({.subject = subject, .keep = Keep::values, .mutant = mutant, .values_folder = folder.string()}, nullptr, {});
  std::filesystem::remove_all(folder);
  ASSERT_EQ(kept.ending, Ending::completed) << kept.failure->message;
  const auto difference = first_difference(reference(subject), kept);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->what, "loss");
}

INSTANTIATE_TEST_SUITE_P(Mutants, LeavesTheRange,
                         testing::Values(RangeExit{"nan_padding", "fsdp=5"}, RangeExit{"unscaled", "fsdp=2"}),
                         [](const auto& info) { return info.param.mutant; });

TEST(Mutants, EveryOneHasALine) {
  std::set<std::string> lines{"nan_padding", "unscaled"}, known;
  for (const Expectation& line : table()) lines.insert(line.mutant);
  for (const Mutant& mutant : mutants()) known.insert(mutant.name);
  EXPECT_EQ(lines, known);
}

}  // namespace
}  // namespace ordercheck::ranks
