// FSDP2 over a mesh of two dims: fully_shard(mesh["dp_replicate", "dp_shard"]).
#include "ranks/transform/hsdp.h"

#include "ranks/mechanism/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

// Parameters are gathered in it; gradients are reduced in their own dtype, float32.
std::optional<at::ScalarType> dtype_of_option(const Item& item) {
  const auto dtype = option_of(item, "mp");
  if (!dtype) return std::nullopt;
  return *dtype == "fp16" ? at::kHalf : at::kBFloat16;
}

void apply_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  const ShardedGroupOptions options{.axis = with_sequence_axes(site.mesh, "dp_shard"),
                                    .replicas = "dp_replicate",
                                    .mesh = site.mesh,
                                    .rank = site.rank,
                                    .mutant = site.mutant,
                                    .compute_dtype = dtype_of_option(item)};
  for (const ModulePtr& model : program.parts)
    shard_blocks_and_root(model, scope_of(item), option_of(item, "reshard").value_or("default"), options);
}

}  // namespace

Transform hsdp_transform() {
  return {.built = {.name = "hsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_hsdp};
}

}  // namespace ordercheck::ranks
