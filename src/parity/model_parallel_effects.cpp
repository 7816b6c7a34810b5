#include <algorithm>

#include <fmt/format.h>

#include "parity/effect_families.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"

namespace ordercheck {
namespace {

bool divides_the_model(int degree) {
  const ModelSizes& model = kUsualModel;
  return model.heads % degree == 0 && model.kv_heads % degree == 0 && model.ffn_hidden % degree == 0 &&
         model.vocab % degree == 0;
}

// The output lies in the last stage, and rank 0 is of the first.
bool holds_output(const Stack& stack) { return degree_of(mesh_of(stack), "pp") == 1; }

// Where the degree does not divide what is split, rank 0 has one of the longer parts. A plan of the blocks alone leaves the
// root's product, the output, whole on every rank that holds it; what the plan of another model leaves whole (the router of
// experts) is not known here.
void expect_split_model(Showing& showing, const EffectRuns& runs, int degree) {
  if (!runs.without) return;
  const bool whole_root = option_of(runs.item(), "plan") == "blocks" && holds_output(runs.subject.stack);
  const bool known = runs.subject.model == Case{}.model;
  if (!whole_root && known && divides_the_model(degree)) return expect_split_work(showing, runs, 1, degree);
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  if (!showing.measured("matmul flops", {part, whole})) return;
  // What ranks with other experts have of their work is up to the tokens.
  if (mesh_of(runs.subject.stack).ep > 1)
    return showing.expect(0 < part && part < whole, fmt::format("{} of {} matmul flops, expected a part", part, whole));
  const bool enough = whole_root ? part * degree > whole : part * degree >= whole;
  const char* expected = whole_root ? "more than" : known ? "uneven parts from" : "at least";
  showing.expect(enough && part < whole, fmt::format("{} of {} matmul flops, expected {} 1/{}{}", part, whole, expected, degree,
                                                     whole_root || !known ? "" : " on"));
}

// What a function of the user's shards, and whether its ranks meet in forward or in backward alone, is not known here: one rank's
// table of embeddings is summed in forward, and has no collective in backward.
void expect_some_collective(Showing& showing, const EffectRuns& runs, const char* axis) {
  std::int64_t count = 0;
  for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward})
    count += collectives(runs.with, "", axis, phase);
  showing.expect(count > 0, fmt::format("{} collectives on {} in forward and backward", count, axis));
}

// Keys and values go from rank to rank. Its backward keeps the scores that a fused kernel computes once more: the work is a part
// of the whole, and at most an even one.
void expect_ring(Showing& showing, const EffectRuns& runs) {
  for (const Phase phase : {Phase::forward, Phase::backward})
    for (const char* kind : {"send", "recv"}) expect_collective(showing, runs.with, kind, "cp", phase);
  if (!runs.without) return;
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  const int ranks = world_size(runs.mesh());
  if (showing.measured("matmul flops", {part, whole}))
    showing.expect(0 < part && part * ranks <= whole,
                   fmt::format("{} of {} matmul flops, expected at most 1/{}", part, whole, ranks));
}

}  // namespace

void show_tensor_parallel(Showing& showing, const EffectRuns& runs) {
  if (!runs.subject.apply.empty()) return expect_some_collective(showing, runs, "tp");
  bound_tensor_parallel(showing, runs);
  expect_split_model(showing, runs, world_size(runs.mesh()));
  for (Phase phase : {Phase::forward, Phase::backward}) {
    const auto count = collectives(runs.with, "", "tp", phase);
    showing.expect(count > 0, fmt::format("{} collectives on tp in {}", count, name_of(phase)));
  }
}

void show_context_parallel(Showing& showing, const EffectRuns& runs) {
  if (!runs.subject.apply.empty()) return expect_some_collective(showing, runs, "cp");
  bound_context_parallel(showing, runs);
  if (option_of(runs.item(), "ring")) return expect_ring(showing, runs);
  expect_collective(showing, runs.with, "all_gather", "cp", Phase::forward);
  expect_collective(showing, runs.with, "reduce_scatter", "cp", Phase::backward);
  expect_split_work(showing, runs, 1, world_size(runs.mesh()));
}

// Which ranks hold the experts is up to how they are carved from the mesh: an exchange on any group counts. How much of the
// work rank 0 has is up to the tokens.
void show_expert_parallel(Showing& showing, const EffectRuns& runs) {
  if (runs.item().degrees == std::vector{Degree{1}}) return showing.remark("degree 1: nothing to show");
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    std::int64_t exchanges = 0;
    for (const CollectiveCount& c : runs.with.collectives)
      if (c.kind == "all_to_all" && c.phase == phase) exchanges += c.count;
    showing.expect(exchanges > 0, fmt::format("{} all_to_all in {}", exchanges, name_of(phase)));
  }
}

// How much of the work a rank has is up to where the model was cut: some of it, not all. Messages are in the counters, and
// where an engine also records them by group they count as seen.
void show_pipeline(Showing& showing, const EffectRuns& runs) {
  const auto messages = runs.with.counters.p2p_messages;
  if (showing.measured("messages between stages", {messages}))
    showing.expect(messages > 0, fmt::format("{} messages between stages", messages));
  bound_pipeline(showing, runs);
  for (Phase phase : {Phase::forward, Phase::backward})
    for (const char* kind : {"send", "recv"})
      if (collectives(runs.with, kind, "pp", phase) > 0) expect_collective(showing, runs.with, kind, "pp", phase);
  if (!runs.without) return;
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  if (!showing.measured("matmul flops", {part, whole})) return;
  // With more stages than blocks, the first one has the embedding alone, which multiplies no matrices.
  const bool some = part > 0 || world_size(runs.mesh()) > kUsualModel.layers;
  // What a backward that is split computes on the way to the inputs, it may compute on the way to the weights again.
  const bool splits = splits_backward(runs.item());
  showing.expect(some && part < whole * (splits ? 2 : 1), fmt::format("{} of {} matmul flops, expected a part", part, whole));
}

}  // namespace ordercheck
