#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "record/effect_families.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Number of sequences of a step that rank 0 gets. Data parallelism splits them as evenly as possible, longer parts first.
int sequences_of_first_rank(const Stack& stack) {
  const Mesh mesh = mesh_of(stack);
  const int ranks = degree_of(mesh, "dp_replicate") * degree_of(mesh, "dp_shard");
  return (kStep.sequences + ranks - 1) / ranks;
}

void expect_split_batch(Showing& showing, const EffectRuns& runs) {
  expect_split_work(showing, runs, sequences_of_first_rank(runs.subject.stack),
                    sequences_of_first_rank(without_item(runs.subject, runs.index).stack));
}

// The number of elements of all parameters, and of rank 0's shards. If the number of ranks does not divide the rows, rank 0's
// chunk is the longest, and an all-gather pads the other chunks to its length.
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

// Checks that parameters are sharded: at peak, a rank holds its shards plus the gathered parameters of few modules. Fails if
// it holds as much as all parameters gathered at once.
void expect_sharded_parameters(Showing& showing, const EffectRuns& runs, int parts) {
  if (!runs.without) return;
  const auto held = runs.with.counters.parameter_bytes_peak, whole = runs.without->counters.parameter_bytes_peak;
  if (!showing.measured("parameter bytes", {held, whole}) || runs.with.parameters.empty()) return;
  const bool in_graph = is_in_graph(runs.item());
  const bool keeps_gathered = option_of(runs.item(), "reshard") == "never";
  // A stage may be just a block and the root, which stays gathered after its forward.
  if (degree_of(mesh_of(runs.subject.stack), "pp") > 1)
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, of a stage", held, whole));
  if (in_graph && !owes(runs.subject.stack, OwedEffect::captured))
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, with no graph to free them", held, whole));
  // A bucket and the next one are gathered at once, each also copied while it is unpacked: with two blocks, that is everything.
  if (option_of(runs.item(), "bucket"))
    return showing.remark(fmt::format("parameter bytes at peak {}, {} without it, by the bucket", held, whole));
  const Elements elements = elements_of(runs.with, parts);
  const auto gathered = in_graph ? elements.sent : elements.all;
  // Compares held / whole with (gathered + first rank) / all, cross-multiplied.
  const auto share = held * elements.all, most = whole * (gathered + elements.of_first_rank);
  const bool fits = keeps_gathered ? share <= most : share < most;
  showing.expect(fits, fmt::format("parameter bytes at peak {}, {} without it", held, whole));
}

// Mean bytes per collective of this kind and group on rank 0, without those at the end of the run that gather tensors for the
// comparison.
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

// Checks reshard=always: parameters freed after forward are all-gathered again in backward or recomputation.
void expect_gathered_again(Showing& showing, const EffectRuns& runs, const std::string& group) {
  if (option_of(runs.item(), "reshard") != "always") return;
  const std::int64_t again = collectives(runs.with, "all_gather", group, Phase::backward) +
                             collectives(runs.with, "all_gather", group, Phase::recompute);
  showing.expect(again > 0, fmt::format("{} all_gather on {} in backward", again, group));
}

// Checks mixed precision: parameters are all-gathered in a 2-byte dtype and gradients reduced in a 4-byte dtype. A rank's
// input is its shard for a gather, and the whole tensor for a reduction.
void expect_cast(Showing& showing, const EffectRuns& runs, const std::string& group, int ranks) {
  const double gathered = bytes_of_one(runs.with, "all_gather", group, true) * ranks;
  const double reduced = bytes_of_one(runs.with, "reduce_scatter", group, false);
  showing.expect(gathered > 0 && 2 * gathered == reduced,
                 fmt::format("gathers {:.0f} bytes where it reduces {:.0f}, expected half", gathered, reduced));
}

// Buckets hold several parameters: each microbatch needs fewer collectives than parameters.
void expect_buckets(Showing& showing, const EffectRuns& runs, const char* kind, const std::string& group, Phase phase) {
  if (!option_of(runs.item(), "bucket") || runs.with.parameters.empty()) return;
  const Settings& settings = runs.subject.settings;
  const std::int64_t times = std::int64_t{settings.steps} * settings.accumulation;
  const auto parameters = static_cast<std::int64_t>(runs.with.parameters.size());
  const std::int64_t seen = collectives(runs.with, kind, group, phase);
  showing.expect(seen < parameters * times,
                 fmt::format("{} {} for {} parameters in {} microbatches", seen, kind, parameters, times));
}

// Checks that gradients are reduced. A pipeline schedule does so after a stage's last microbatch, outside of the backward
// phase.
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
    // Ranks of cp have different tokens, so parameters are sharded and gradients reduced over them too.
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

// A plan may split some products more ways than others, and need not split all of them.
void show_placed(Showing& showing, const EffectRuns& runs) {
  // One collective may go over several axes.
  std::vector<std::string> axes, groups;
  for (const std::string_view axis : kMeshAxes)
    if (degree_of(runs.mesh(), axis) > 1) axes.emplace_back(axis);
  groups = axes;
  if (axes.size() > 1) groups.push_back(join(axes, "+"));
  std::int64_t count = 0;
  for (const std::string& group : groups)
    for (const Phase phase : {Phase::forward, Phase::backward}) count += collectives(runs.with, "", group, phase);
  showing.expect(count > 0, fmt::format("{} collectives on {} in forward and backward", count, join(axes, " and ")));
  if (!runs.without) return;
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  if (showing.measured("matmul flops", {part, whole}))
    showing.expect(0 < part && part < whole, fmt::format("{} of {} matmul flops, expected a part", part, whole));
}

namespace {

bool divides_the_model(int degree) {
  const ModelSizes& model = kUsualModel;
  return model.heads % degree == 0 && model.kv_heads % degree == 0 && model.ffn_hidden % degree == 0 &&
         model.vocab % degree == 0;
}

// Whether rank 0 has the model's output layer. With a pipeline the last stage has it, and rank 0 is in the first.
bool holds_output(const Stack& stack) { return degree_of(mesh_of(stack), "pp") == 1; }

// Checks that tensor parallelism splits the matrix products. If the degree does not divide the split sizes, rank 0 has a
// longer part. plan=blocks does not split the output layer. Which products of other models are not split (a router of experts)
// is unknown.
void expect_split_model(Showing& showing, const EffectRuns& runs, int degree) {
  if (!runs.without) return;
  const bool whole_root = option_of(runs.item(), "plan") == "blocks" && holds_output(runs.subject.stack);
  const bool known = runs.subject.model == Case{}.model;
  if (!whole_root && known && divides_the_model(degree)) return expect_split_work(showing, runs, 1, degree);
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  if (!showing.measured("matmul flops", {part, whole})) return;
  // The routing of tokens decides how much work a rank with experts has.
  if (mesh_of(runs.subject.stack).ep > 1)
    return showing.expect(0 < part && part < whole, fmt::format("{} of {} matmul flops, expected a part", part, whole));
  const bool enough = whole_root ? part * degree > whole : part * degree >= whole;
  const char* expected = whole_root ? "more than" : known ? "uneven parts from" : "at least";
  showing.expect(enough && part < whole, fmt::format("{} of {} matmul flops, expected {} 1/{}{}", part, whole, expected, degree,
                                                     whole_root || !known ? "" : " on"));
}

// Checks that there is any collective along the axis. For a user's `apply` function, which may communicate in forward only or
// backward only. Example: a sharded embedding table is reduced in forward, without a collective in backward.
void expect_some_collective(Showing& showing, const EffectRuns& runs, const char* axis) {
  std::int64_t count = 0;
  for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward})
    count += collectives(runs.with, "", axis, phase);
  showing.expect(count > 0, fmt::format("{} collectives on {} in forward and backward", count, axis));
}

// Checks ring attention: ranks pass keys and values on. Its backward keeps the attention scores that a fused kernel would
// recompute, so a rank's work may be less than an even part.
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

// Checks that tokens come back from the ranks of other experts in forward. A user's `apply` function may gather them and
// reduce-scatter the results, instead of two all-to-alls. FSDP2 issues neither in forward.
void expect_returned_tokens(Showing& showing, const EffectRuns& runs) {
  std::int64_t exchanges = 0;
  for (const CollectiveCount& c : runs.with.collectives)
    if ((c.kind == "all_to_all" || c.kind == "reduce_scatter") && c.phase == Phase::forward) exchanges += c.count;
  showing.expect(exchanges > 0, fmt::format("{} all_to_all or reduce_scatter in forward", exchanges));
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
  const bool ulysses = option_of(runs.item(), "ulysses").has_value();
  expect_collective(showing, runs.with, ulysses ? "all_to_all" : "all_gather", "cp", Phase::forward);
  expect_collective(showing, runs.with, ulysses ? "all_to_all" : "reduce_scatter", "cp", Phase::backward);
  expect_split_work(showing, runs, 1, world_size(runs.mesh()));
}

// A collective of any group counts, because the group of the experts' ranks depends on the mesh. Work is not checked, because
// the routing of tokens decides how much rank 0 has.
void show_expert_parallel(Showing& showing, const EffectRuns& runs) {
  if (runs.item().degrees == std::vector{Degree{1}}) return showing.remark("degree 1: nothing to show");
  if (!runs.subject.apply.empty()) return expect_returned_tokens(showing, runs);
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    std::int64_t exchanges = 0;
    for (const CollectiveCount& c : runs.with.collectives)
      if (c.kind == "all_to_all" && c.phase == phase) exchanges += c.count;
    showing.expect(exchanges > 0, fmt::format("{} all_to_all in {}", exchanges, name_of(phase)));
  }
}

// A rank must have some of the work and not all; the share depends on how the model is cut into stages. Messages are checked
// by the counter p2p_messages, and by group if the engine records sends and receives.
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
  // With more stages than blocks, the first stage has only the embedding, without matrix products.
  const bool some = part > 0 || world_size(runs.mesh()) > kUsualModel.layers;
  // A split backward may compute a product both for the inputs and for the weights.
  const bool splits = splits_backward(runs.item());
  showing.expect(some && part < whole * (splits ? 2 : 1), fmt::format("{} of {} matmul flops, expected a part", part, whole));
}

}  // namespace ordercheck
