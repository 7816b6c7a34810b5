// FSDP2 over a mesh of two dims: fully_shard(mesh["dp_replicate", "dp_shard"]).
#include "ranks/transform/hsdp.h"

#include "ranks/mechanism/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

void apply_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(
      program.parts, item,
      {.axis = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform hsdp_transform() {
  return {.built = {.name = "hsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_hsdp};
}

}  // namespace ordercheck::ranks
