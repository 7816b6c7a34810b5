// FSDP2: fully_shard on each block, then on the root, which takes what is left. It shards over every axis whose ranks have other
// tokens of its samples, too: torchtitan's dp_shard_cp.
#include "ranks/transform/fsdp.h"

#include "ranks/mechanism/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

// Parameters are gathered in it; gradients are reduced in their own dtype, float32.
std::optional<at::ScalarType> dtype_of_option(const Item& item) {
  const auto dtype = option_of(item, "mp");
  if (!dtype) return std::nullopt;
  return *dtype == "fp16" ? at::kHalf : at::kBFloat16;
}

void apply_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  const ShardedGroupOptions options{.axis = with_sequence_axes(site.mesh, "dp_shard"),
                                    .mesh = site.mesh,
                                    .rank = site.rank,
                                    .mutant = site.mutant,
                                    .compute_dtype = dtype_of_option(item)};
  for (const ModulePtr& model : program.parts)
    shard_blocks_and_root(model, scope_of(item), option_of(item, "reshard").value_or("default"), options);
}

}  // namespace

Transform fsdp_transform() {
  return {.built = {.name = "fsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_fsdp};
}

}  // namespace ordercheck::ranks
