#include <algorithm>

#include <fmt/format.h>

#include "parity/effect_families.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Sequences that rank 0 works on: data parallelism splits them as evenly as can be, longer parts first.
int sequences_of_first_rank(const Stack& stack) {
  const Mesh mesh = mesh_of(stack);
  const int ranks = degree_of(mesh, "dp_replicate") * degree_of(mesh, "dp_shard");
  return (kStep.sequences + ranks - 1) / ranks;
}

void expect_split_batch(Showing& showing, const EffectRuns& runs) {
  expect_split_work(showing, runs, sequences_of_first_rank(runs.subject.stack),
                    sequences_of_first_rank(without_item(runs.subject, runs.index).stack));
}

// Elements of all parameters, and what the first rank has of them: of rows that `parts` does not divide its chunk is longer
// than the last one's. Gathered as they are sent, all ranks' are as long as its own.
struct Elements {
  std::int64_t all = 0;
  std::int64_t of_first_rank = 0;
  std::int64_t sent = 0;
};

Elements elements_of(const Record& record, int parts) {
  Elements elements;
  for (const ParameterRecord& parameter : record.parameters) {
    std::int64_t count = 1;
    for (const std::int64_t size : parameter.shape) count *= size;
    const std::int64_t rows = parameter.shape.empty() ? 1 : parameter.shape[0];
    elements.all += count;
    if (rows > 0) elements.of_first_rank += (rows + parts - 1) / parts * (count / rows);
  }
  elements.sent = elements.of_first_rank * parts;
  return elements;
}

// Held at once: one shard of everything and what is gathered. All gathered at once is the whole and a shard.
void expect_sharded_parameters(Showing& showing, const EffectRuns& runs, int parts) {
  if (!runs.without) return;
  const auto held = runs.with.counters.parameter_bytes_peak, whole = runs.without->counters.parameter_bytes_peak;
  if (!showing.measured("parameter bytes", {held, whole}) || runs.with.parameters.empty()) return;
  const bool in_graph = is_in_graph(runs.item());
  const bool keeps_gathered = option_of(runs.item(), "reshard") == "never";
  // A stage may be no more than a block and the root, which is not freed after its forward.
  if (degree_of(mesh_of(runs.subject.stack), "pp") > 1)
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, of a stage", held, whole));
  if (in_graph && !owes(runs.subject.stack, OwedEffect::captured))
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, with no graph to free them", held, whole));
  // A bucket and the next one are whole at once, and each a second time while it is copied out: of two blocks, that is everything.
  if (option_of(runs.item(), "bucket"))
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, by the bucket", held, whole));
  const Elements elements = elements_of(runs.with, parts);
  const auto gathered = in_graph ? elements.sent : elements.all;
  const auto share = held * elements.all, most = whole * (gathered + elements.of_first_rank);
  const bool fits = keeps_gathered ? share <= most : share < most;
  showing.expect(fits, fmt::format("parameter bytes at peak {}, {} without it", held, whole));
}

// Of rank 0 over the whole run, whatever the phase but the end, where the trainer gathers to compare.
double bytes_of_one(const Record& record, const std::string& kind, const std::string& group, bool forward_only) {
  double count = 0, bytes = 0;
  for (const CollectiveCount& c : record.collectives) {
    if (c.kind != kind || c.group != group || c.phase == Phase::observe || (forward_only && c.phase != Phase::forward))
      continue;
    count += static_cast<double>(c.count);
    bytes += static_cast<double>(c.bytes);
  }
  return count > 0 ? bytes / count : 0;
}

// What was freed after forward is gathered again, in backward or by a recomputation in it.
void expect_gathered_again(Showing& showing, const EffectRuns& runs, const std::string& group) {
  if (option_of(runs.item(), "reshard") != "always") return;
  const std::int64_t again = collectives(runs.with, "all_gather", group, Phase::backward) +
                             collectives(runs.with, "all_gather", group, Phase::recompute);
  showing.expect(again > 0, fmt::format("{} all_gather on {} in backward", again, group));
}

// The same parameters are gathered in a dtype of 2 bytes and their gradients reduced in one of 4. A rank puts its shard into
// a gather and the whole into a reduction.
void expect_cast(Showing& showing, const EffectRuns& runs, const std::string& group, int ranks) {
  const double gathered = bytes_of_one(runs.with, "all_gather", group, true) * ranks;
  const double reduced = bytes_of_one(runs.with, "reduce_scatter", group, false);
  showing.expect(gathered > 0 && 2 * gathered == reduced,
                 fmt::format("gathers {:.0f} bytes where it reduces {:.0f}, expected half", gathered, reduced));
}

// A bucket is of several parameters: fewer collectives than parameters, in every microbatch.
void expect_buckets(Showing& showing, const EffectRuns& runs, const char* kind, const std::string& group, Phase phase) {
  if (!option_of(runs.item(), "bucket") || runs.with.parameters.empty()) return;
  const Settings& settings = runs.subject.settings;
  const std::int64_t times = std::int64_t{settings.steps} * settings.accumulation;
  const auto parameters = static_cast<std::int64_t>(runs.with.parameters.size());
  const std::int64_t seen = collectives(runs.with, kind, group, phase);
  showing.expect(seen < parameters * times,
                 fmt::format("{} {} for {} parameters in {} microbatches", seen, kind, parameters, times));
}

// A pipeline's schedule reduces once it is through with a stage's last microbatch, behind the backward and outside of it.
void expect_reduction(Showing& showing, const EffectRuns& runs, const char* kind, const std::string& group) {
  const auto behind = collectives(runs.with, kind, group, Phase::forward);
  if (degree_of(mesh_of(runs.subject.stack), "pp") > 1 && behind > 0)
    showing.expect(true, fmt::format("{} {} on {} by the pipeline's schedule", behind, kind, group));
  else
    expect_collective(showing, runs.with, kind, group.c_str(), Phase::backward);
}

}  // namespace

void show_sharded(Showing& showing, const EffectRuns& runs) {
  const int shards = degree_of(runs.mesh(), "dp_shard"), replicas = degree_of(runs.mesh(), "dp_replicate");
  if (shards > 1) {
    // Ranks of cp have other tokens: what shards parameters and sums gradients does so over them as well.
    const Mesh mesh = mesh_of(runs.subject.stack);
    const std::string group = group_name(mesh, {"dp_shard", "cp"});
    expect_collective(showing, runs.with, "all_gather", group.c_str(), Phase::forward);
    expect_reduction(showing, runs, "reduce_scatter", group);
    expect_buckets(showing, runs, "all_gather", group, Phase::forward);
    expect_buckets(showing, runs, "reduce_scatter", group, Phase::backward);
    expect_gathered_again(showing, runs, group);
    expect_sharded_parameters(showing, runs, shards * degree_of(mesh, "cp"));
    if (option_of(runs.item(), "mp") && degree_of(mesh, "pp") == 1)
      expect_cast(showing, runs, group, shards * degree_of(mesh, "cp"));
  }
  bound_sharded(showing, runs);
  if (replicas > 1) {
    expect_reduction(showing, runs, "all_reduce", "dp_replicate");
    expect_buckets(showing, runs, "all_reduce", "dp_replicate", Phase::backward);
  }
  expect_split_batch(showing, runs);
}

void show_replicated(Showing& showing, const EffectRuns& runs) {
  expect_reduction(showing, runs, "all_reduce", "dp_replicate");
  expect_buckets(showing, runs, "all_reduce", "dp_replicate", Phase::backward);
  bound_replicated(showing, runs);
  expect_split_batch(showing, runs);
}

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
