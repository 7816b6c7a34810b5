// A head that computes its logits piece by piece of the sequence, as chunked losses do: it reads its weight once a piece, so that each
// piece's backward has a gradient of the weight to send.
#include <algorithm>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "native/transform/attribute.h"
#include "ranks/on_program.h"

namespace ordercheck::ranks {
namespace {

constexpr int kChunks = 4;
constexpr int64_t kSequence = 1;  // dim of activations

void compute_in_chunks(const ModulePtr& head) {
  head->replace_body([](Body body) -> Body {
    return [body = std::move(body)](const Tensors& inputs) {
      std::vector<at::Tensor> logits;
      for (const at::Tensor& chunk : inputs[0].chunk(kChunks, kSequence)) logits.push_back(body({chunk}));
      return at::cat(logits, kSequence);
    };
  });
}

// Before what wraps it, as a model is written.
void chunk_and_make_optimizer(TrainingProgram& program, const Item& item, const Site& site) {
  for (const ModulePtr& part : program.parts) compute_in_chunks(attribute(part, "output"));
  find_transform_of_engine("optimizer")->apply(program, item, site);
}

const Transform* chunking(const std::string& name) {
  static const Transform chunk{.built = find_transform_of_engine("optimizer")->built, .apply = chunk_and_make_optimizer};
  return name == "optimizer" ? &chunk : find_transform_of_engine(name);
}

std::int64_t sent(const std::vector<RankResult>& results, const std::string& kind, Phase phase) {
  std::int64_t count = 0;
  for (const CollectiveCount& c : results.at(0).collectives)
    if (c.kind == kind && c.phase == phase) count += c.count;
  return count / (std::int64_t{Settings().steps} * Settings().accumulation);
}

TEST(ChunkedHead, B28SendsAGradientForEachChunkAndChangesNoBit) {
  const std::string one_rank = "optimizer=sgd";
  const WholeParameters owed = whole_parameters(one_rank, run_program(one_rank, find_transform_of_engine));
  struct {
    std::string stack;
    std::int64_t gathers, scatters;  // more than without chunks
  } const rows[] = {{"simple_fsdp=2,optimizer=sgd", kChunks - 1, kChunks - 1},
                    {"simple_fsdp=2,optimizer=sgd,compile@model", 0, kChunks - 1},
                    // What is added up behind its waits is in no bucket, so the norm is alone in that of the head.
                    {"simple_fsdp=2:bucket=transformer_block,optimizer=sgd,compile@model", 0, kChunks},
                    {"fsdp=2,optimizer=sgd", 0, 0}};
  for (const auto& [stack, gathers, scatters] : rows) {
    const auto whole = run_program(stack, find_transform_of_engine), chunked = run_program(stack, chunking);
    EXPECT_EQ(first_that_differs(owed, whole_parameters(stack, chunked)), "") << stack;
    EXPECT_EQ(sent(chunked, "all_gather", Phase::forward), sent(whole, "all_gather", Phase::forward) + gathers) << stack;
    EXPECT_EQ(sent(chunked, "reduce_scatter", Phase::backward), sent(whole, "reduce_scatter", Phase::backward) + scatters)
        << stack;
  }
}

}  // namespace
}  // namespace ordercheck::ranks
