// FSDP2: fully_shard on each block, then on the root, which takes what is left. It shards over every axis whose ranks have other
// tokens of its samples, too: torchtitan's dp_shard_cp.
#include "ranks/transform/fsdp.h"

#include "ranks/mechanism/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

void apply_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  shard_as_item_says(program.parts, item,
                     {.axis = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform fsdp_transform() {
  return {.built = {.name = "fsdp", .scopes = {"block", "model", "experts"}, .options = {{"reshard"}, {"mp"}}},
          .apply = apply_fsdp};
}

}  // namespace ordercheck::ranks
