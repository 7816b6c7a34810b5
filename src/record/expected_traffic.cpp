// Computes upper bounds on the collectives of a transform. A stack that gathers everything twice has equal numbers and passes
// every other check. A sign is added only if a run exceeds the bound, so that correct runs keep their effect text.
#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "record/counters.h"
#include "record/effect_families.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"

namespace ordercheck {
namespace {

using Phases = std::initializer_list<Phase>;
constexpr Phases kForward{Phase::forward};
constexpr Phases kBackward{Phase::backward, Phase::recompute};
constexpr Phases kWholeStep{Phase::forward, Phase::backward, Phase::recompute};

// Adds up the counts or bytes of matching collectives on rank 0 over the whole run.
std::int64_t sum_of(std::int64_t CollectiveCount::* what, const Record& record, const std::string& kind,
                    const std::string& group, Phases phases) {
  std::int64_t sum = 0;
  for (const CollectiveCount& c : record.collectives)
    if (c.kind == kind && c.group == group && std::ranges::find(phases, c.phase) != phases.end()) sum += c.*what;
  return sum;
}
std::int64_t bytes_of(const Record& record, const std::string& kind, const std::string& group, Phases phases) {
  return sum_of(&CollectiveCount::bytes, record, kind, group, phases);
}
std::int64_t count_of(const Record& record, const std::string& kind, const std::string& group, Phases phases) {
  return sum_of(&CollectiveCount::count, record, kind, group, phases);
}

void expect_at_most(Showing& showing, std::int64_t owed, std::int64_t seen, const std::string& what) {
  if (seen > owed) showing.expect(false, fmt::format("{} {}, expected at most {}", seen, what, owed));
}

const Item* pipeline_of(const Stack& stack) {
  const auto found = std::ranges::find(stack.items, "pp", &Item::name);
  return found == stack.items.end() ? nullptr : &*found;
}

// The number of forward passes of the whole run.
std::int64_t passes_of(const Case& c) {
  const Item* pipeline = pipeline_of(c.stack);
  const int accumulation = c.settings.accumulation;
  return std::int64_t{c.settings.steps} * (pipeline ? count_option(*pipeline, "microbatches", accumulation) : accumulation);
}

// How often backward may run each module: twice if the pipeline schedule splits backward into input and weight gradients.
int times_in_backward(const Stack& stack) {
  const Item* pipeline = pipeline_of(stack);
  return pipeline && splits_backward(*pipeline) ? 2 : 1;
}

// Whether each module is called once per forward, so that its collectives can be counted. A user's model may call a module
// several times, tied weights are gathered several times, and a chunked loss calls its head per chunk. Stages cut from a
// sharded model still gather all of it.
bool calls_each_module_once(const Case& c) {
  const Item* pipeline = pipeline_of(c.stack);
  if (pipeline && option_of(*pipeline, "cut")) return false;
  const bool is_own = !c.apply.empty() || c.model.find(':') != std::string::npos;
  return !is_own && c.model != kModelThatCallsABlockTwice && !c.model.ends_with("_tied") && !c.model.ends_with("_chunked");
}

// Whether the case runs the built-in llama model, the only one whose numbers of layers and products are known.
bool is_usual_model(const Case& c) { return c.apply.empty() && c.model == Case{}.model; }

// Bytes of a rank's parameters in the twin without the item, if it measured them; else of the whole model. Includes the
// padding of shards.
std::int64_t whole_bytes(const EffectRuns& runs, int shards) {
  const Mesh mesh = mesh_of(runs.subject.stack);
  const std::int64_t pieces = std::int64_t{shards} * degree_of(mesh, "tp") * mesh.ep;
  std::int64_t whole = 0, padding = 0;
  for (const ParameterRecord& parameter : runs.with.parameters) {
    std::int64_t bytes = runs.subject.settings.arithmetic == Arithmetic::float32 ? 4 : 8;
    for (const std::int64_t size : parameter.shape) bytes *= size;
    const std::int64_t rows = parameter.shape.empty() ? 1 : parameter.shape[0];
    whole += bytes;
    if (rows > 0 && rows % pieces != 0) padding += (shards - 1) * (bytes / rows);
  }
  const std::int64_t held = runs.without ? runs.without->counters.parameter_bytes_peak : kNotMeasured;
  return (is_measured(held) ? held : whole) + padding;
}

// Bound: the collectives in recomputation send no more than those in forward.
void bound_recomputed(Showing& showing, const EffectRuns& runs, const char* axis) {
  for (const char* kind : {"all_gather", "reduce_scatter", "all_reduce", "send"})
    expect_at_most(showing, times_in_backward(runs.subject.stack) * count_of(runs.with, kind, axis, kForward),
                   count_of(runs.with, kind, axis, {Phase::recompute}), fmt::format("{} on {} in recompute", kind, axis));
}

}  // namespace

// Per microbatch, every parameter is gathered in forward, again in backward, and its gradient is reduce-scattered.
void bound_sharded(Showing& showing, const EffectRuns& runs) {
  const Case& c = runs.subject;
  if (!calls_each_module_once(c) || runs.with.parameters.empty()) return;
  const Mesh mesh = mesh_of(c.stack);
  const int shards = degree_of(runs.mesh(), "dp_shard") * degree_of(mesh, "cp");
  const std::int64_t whole = passes_of(c) * whole_bytes(runs, shards);
  const bool in_graph = is_in_graph(runs.item());
  if (degree_of(runs.mesh(), "dp_shard") > 1) {
    const std::string group = group_name(mesh, {"dp_shard", "cp"});
    // A rank passes its shard to an all-gather and the whole tensor to a reduction. Without a graph every read gathers, an
    // unknown number of times.
    if (!in_graph || owes(c.stack, OwedEffect::captured))
      expect_at_most(showing, whole / shards, bytes_of(runs.with, "all_gather", group, kForward),
                     fmt::format("bytes gathered on {} in forward", group));
    // A gather in the graph runs again under a checkpoint and, after a graph break, in its own backward. An FSDP2 hook that
    // finds everything gathered does nothing.
    const bool kept = option_of(runs.item(), "reshard") == "never";
    const int times = kept ? 0 : in_graph ? 2 : times_in_backward(c.stack);
    expect_at_most(showing, times * whole / shards, bytes_of(runs.with, "all_gather", group, kBackward),
                   fmt::format("bytes gathered on {} in backward", group));
    expect_at_most(showing, whole, bytes_of(runs.with, "reduce_scatter", group, kWholeStep),
                   fmt::format("bytes scattered on {}", group));
  }
  // FSDP2 reduces shards over the replicas; a graph may reduce whole gradients before scattering them.
  if (degree_of(runs.mesh(), "dp_replicate") > 1)
    expect_at_most(showing, in_graph ? whole : whole / shards, bytes_of(runs.with, "all_reduce", "dp_replicate", kWholeStep),
                   "bytes summed on dp_replicate");
}

void bound_replicated(Showing& showing, const EffectRuns& runs) {
  const Case& c = runs.subject;
  if (!calls_each_module_once(c) || runs.with.parameters.empty()) return;
  const std::int64_t sums = option_of(runs.item(), "no_sync") ? c.settings.steps : passes_of(c);
  expect_at_most(showing, sums * whole_bytes(runs, 1), bytes_of(runs.with, "all_reduce", "dp_replicate", kWholeStep),
                 "bytes summed on dp_replicate");
}

// Bounds as in Megatron-LM. With sequence parallelism, each of a block's two parallel regions (attention, feed-forward) has an
// all-gather before and a reduce-scatter after it. The embedding ends in a reduce-scatter, the output layer begins with an
// all-gather. Without sequence parallelism an all-reduce ends a region. A loss on sharded logits takes three all-reduces.
void bound_tensor_parallel(Showing& showing, const EffectRuns& runs) {
  const Case& c = runs.subject;
  bound_recomputed(showing, runs, "tp");
  if (!is_usual_model(c)) return;
  // Two regions per block, the embedding and the output.
  const std::int64_t regions = passes_of(c) * (2 * kUsualModel.layers + 2);
  // A compiler may recompute too.
  const bool may_recompute = owes(c.stack, OwedEffect::recompute) || owes(c.stack, OwedEffect::captured);
  for (const char* kind : {"all_gather", "reduce_scatter"}) {
    expect_at_most(showing, regions, count_of(runs.with, kind, "tp", kForward), fmt::format("{} on tp in forward", kind));
    expect_at_most(showing, (may_recompute ? 2 : 1) * times_in_backward(c.stack) * regions,
                   count_of(runs.with, kind, "tp", kBackward), fmt::format("{} on tp in backward", kind));
  }
  expect_at_most(showing, regions + 3 * passes_of(c), count_of(runs.with, "all_reduce", "tp", kForward),
                 "all_reduce on tp in forward");
}

// Bound: the keys and values of every block are gathered once. A ring passes them on, and in backward also their gradients.
void bound_context_parallel(Showing& showing, const EffectRuns& runs) {
  const Case& c = runs.subject;
  bound_recomputed(showing, runs, "cp");
  if (!is_usual_model(c)) return;
  const std::int64_t exchanges = passes_of(c) * 2 * kUsualModel.layers;
  const std::int64_t hops = exchanges * (world_size(runs.mesh()) - 1);
  const bool ring = option_of(runs.item(), "ring").has_value(), ulysses = option_of(runs.item(), "ulysses").has_value();
  const bool gathers = !ring && !ulysses;
  const int times = times_in_backward(c.stack);
  expect_at_most(showing, gathers ? exchanges : 0, count_of(runs.with, "all_gather", "cp", kForward),
                 "all_gather on cp in forward");
  expect_at_most(showing, gathers ? times * exchanges : 0, count_of(runs.with, "reduce_scatter", "cp", {Phase::backward}),
                 "reduce_scatter on cp in backward");
  // Queries, keys and values go, and the attention's result comes back; both again in a recomputation.
  const int recomputed = owes(c.stack, OwedEffect::recompute) ? 2 : 1;
  expect_at_most(showing, ulysses ? 2 * exchanges : 0, count_of(runs.with, "all_to_all", "cp", kForward),
                 "all_to_all on cp in forward");
  expect_at_most(showing, ulysses ? 2 * recomputed * times * exchanges : 0, count_of(runs.with, "all_to_all", "cp", kBackward),
                 "all_to_all on cp in backward");
  expect_at_most(showing, ring ? hops : 0, count_of(runs.with, "send", "cp", kForward), "send on cp in forward");
  expect_at_most(showing, ring ? 2 * times * hops : 0, count_of(runs.with, "send", "cp", {Phase::backward}),
                 "send on cp in backward");
}

// Bound: per step and microbatch, one activation and its gradient over each stage boundary of the first rank with a block.
// Skipped with ring attention, whose messages are counted too.
void bound_pipeline(Showing& showing, const EffectRuns& runs) {
  const Case& c = runs.subject;
  const Item& pipeline = runs.item();
  const bool ring = std::ranges::any_of(c.stack.items, [](const Item& item) { return option_of(item, "ring").has_value(); });
  // In the first step, stages also send each other the shapes.
  if (c.settings.steps == 1 || !is_usual_model(c) || ring || !is_measured(runs.with.counters.p2p_messages)) return;
  const bool in_a_v = option_of(pipeline, "zbv") || option_of(pipeline, "dualpipev");
  const bool several = in_a_v || option_of(pipeline, "interleaved");
  const bool is_first = world_size(runs.mesh()) <= kUsualModel.layers;  // else the first stage has only the embedding
  const int boundaries = !is_first ? (several ? 4 : 2) : in_a_v ? 2 : several ? 3 : 1;
  expect_at_most(showing, 2 * boundaries * passes_of(c) / c.settings.steps, runs.with.counters.p2p_messages,
                 "messages between stages in a step");
}

}  // namespace ordercheck
