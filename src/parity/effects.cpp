#include <fmt/format.h>

#include "parity/verdict.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// What one item is asked to show; each part adds a phrase, and one missing part makes the effect absent.
class Showing {
 public:
  void expect(bool holds, std::string phrase) {
    (holds ? some_ : missing_) = true;
    phrases_.push_back(holds ? std::move(phrase) : "missing: " + std::move(phrase));
  }
  void remark(std::string phrase) { phrases_.push_back(std::move(phrase)); }
  Effect effect(const Item& item) const {
    return {.transform = print(item), .present = !missing_, .partly = missing_ && some_, .evidence = fmt::format("{}", fmt::join(phrases_, "; "))};
  }

 private:
  bool some_ = false;
  bool missing_ = false;
  std::vector<std::string> phrases_;
};

std::int64_t collectives(const Record& record, const std::string& kind, const std::string& group, Phase phase) {
  std::int64_t count = 0;
  for (const auto& c : record.collectives)
    if (c.kind == kind && c.group == group && c.phase == phase) count += c.count;
  return count;
}

std::int64_t collectives_of_group(const Record& record, const std::string& group, Phase phase) {
  std::int64_t count = 0;
  for (const auto& c : record.collectives)
    if (c.group == group && c.phase == phase) count += c.count;
  return count;
}

void expect_collective(Showing& showing, const Record& record, const char* kind, const char* group, Phase phase) {
  const auto count = collectives(record, kind, group, phase);
  showing.expect(count > 0, fmt::format("{} {} on {} in {}", count, kind, group, name_of(phase)));
}

// What a step computes once: how much is computed again depends on policies and on graphs, not on the layout alone.
std::int64_t flops_of(const Record& record) {
  return record.counters.matmul_flops - record.counters.matmul_flops_recomputed;
}

// The rank does `share` parts in `parts` of the twin's matrix products, to the last one, recomputation left out.
void expect_split_work(Showing& showing, const Record& with, const std::optional<Record>& without, int share,
                       int parts) {
  if (!without) return;
  const auto part = flops_of(with), whole = flops_of(*without);
  showing.expect(part * parts == whole * share,
                 fmt::format("{} of {} matmul flops, expected {}/{}", part, whole, share, parts));
}

// Sequences that rank 0 works on: data parallelism splits them as evenly as can be, longer parts first.
int sequences_of_first_rank(const Stack& stack) {
  const Mesh mesh = mesh_of(stack);
  const int ranks = degree_of(mesh, "dp_replicate") * degree_of(mesh, "dp_shard");
  return (kStep.sequences + ranks - 1) / ranks;
}

void expect_split_batch(Showing& showing, const Case& c, std::size_t index, const Record& with,
                        const std::optional<Record>& without) {
  expect_split_work(showing, with, without, sequences_of_first_rank(c.stack),
                    sequences_of_first_rank(without_item(c, index).stack));
}

// Held at once: one shard of everything and what is gathered. All gathered at once is `parts + 1` parts of `parts`.
void expect_sharded_parameters(Showing& showing, const Item& item, const Record& with,
                               const std::optional<Record>& without, int parts) {
  if (!without) return;
  const auto held = with.counters.parameter_bytes_peak, whole = without->counters.parameter_bytes_peak;
  const bool keeps_gathered = option_of(item, "reshard") == "never";
  const bool fits = keeps_gathered ? held * parts <= whole * (parts + 1) : held * parts < whole * (parts + 1);
  showing.expect(fits, fmt::format("parameter bytes at peak {}, {} without it", held, whole));
}

void show_recompute(Showing& showing, const Record& with, const std::optional<Record>& without) {
  const auto before = without ? without->counters.operators_recomputed : 0;
  showing.expect(with.counters.operators_recomputed > before,
                 fmt::format("{} operators recomputed, {} without it", with.counters.operators_recomputed, before));
  if (without)
    showing.expect(with.counters.saved_bytes_peak < without->counters.saved_bytes_peak,
                   fmt::format("bytes saved for backward {}, {} without it", with.counters.saved_bytes_peak,
                               without->counters.saved_bytes_peak));
}

// Where the degree does not divide what is split, rank 0 has one of the longer parts.
void expect_split_model(Showing& showing, const Record& with, const std::optional<Record>& without, int degree) {
  if (!without) return;
  const ModelSizes& model = kLlama;
  const bool divides = model.heads % degree == 0 && model.kv_heads % degree == 0 && model.ffn_hidden % degree == 0 &&
                       model.vocab % degree == 0;
  if (divides) return expect_split_work(showing, with, without, 1, degree);
  const auto part = flops_of(with), whole = flops_of(*without);
  showing.expect(part * degree >= whole && part < whole,
                 fmt::format("{} of {} matmul flops, expected uneven parts from 1/{} on", part, whole, degree));
}

void show_tensor_parallel(Showing& showing, const Record& with, const std::optional<Record>& without, int degree) {
  expect_split_model(showing, with, without, degree);
  for (Phase phase : {Phase::forward, Phase::backward}) {
    const auto count = collectives_of_group(with, "tp", phase);
    showing.expect(count > 0, fmt::format("{} collectives on tp in {}", count, name_of(phase)));
  }
}

void show_sharded(Showing& showing, const Item& item, const Record& with, const std::optional<Record>& without,
                  int shards, int replicas) {
  if (shards > 1) {
    expect_collective(showing, with, "all_gather", "dp_shard", Phase::forward);
    expect_collective(showing, with, "reduce_scatter", "dp_shard", Phase::backward);
    expect_sharded_parameters(showing, item, with, without, shards);
  }
  if (replicas > 1) expect_collective(showing, with, "all_reduce", "dp_replicate", Phase::backward);
}

void show_updates(Showing& showing, const Record& with) {
  std::size_t changed = 0;
  for (const auto& p : with.parameters) changed += p.changed;
  showing.expect(changed > 0, fmt::format("{} of {} parameters changed", changed, with.parameters.size()));
}

}  // namespace

Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without) {
  assert(index < c.stack.items.size() && "an effect belongs to an item of the stack");
  assert(with.ending == Ending::completed && (!without || without->ending == Ending::completed));
  const Item& item = c.stack.items[index];
  const Mesh mesh = mesh_of(Stack{.items = {item}});
  const int degree = world_size(mesh);
  const bool parallel = item.name == "tp" || item.name == "fsdp" || item.name == "hsdp" || item.name == "ddp";
  Showing showing;
  if (parallel && degree == 1) {
    showing.remark("degree 1: nothing to show");
    return showing.effect(item);
  }
  if (item.name == "ac") {
    show_recompute(showing, with, without);
  } else if (item.name == "sac") {
    show_recompute(showing, with, without);
    const auto before = without ? without->counters.operators_kept : 0;
    showing.expect(with.counters.operators_kept > before,
                   fmt::format("{} results kept by its policy, {} without it", with.counters.operators_kept, before));
  } else if (item.name == "tp") {
    show_tensor_parallel(showing, with, without, degree);
  } else if (item.name == "fsdp" || item.name == "hsdp") {
    show_sharded(showing, item, with, without, degree_of(mesh, "dp_shard"), degree_of(mesh, "dp_replicate"));
    expect_split_batch(showing, c, index, with, without);
  } else if (item.name == "ddp") {
    expect_collective(showing, with, "all_reduce", "dp_replicate", Phase::backward);
    expect_split_batch(showing, c, index, with, without);
  } else if (item.name == "optimizer") {
    show_updates(showing, with);
  } else if (item.name == "compile") {
    showing.expect(with.counters.graph_captures > 0, fmt::format("{} graphs captured", with.counters.graph_captures));
  } else {
    return {.transform = print(item), .defined = false, .evidence = "no effect is stated for " + item.name};
  }
  if (!without) showing.remark("the stack without it did not complete, so nothing was held against it");
  return showing.effect(item);
}

}  // namespace ordercheck
