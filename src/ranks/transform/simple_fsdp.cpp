// SimpleFSDP's mode fully_shard. It shards over every axis whose ranks have other tokens of its samples, too: torchtitan's dp_shard_cp.
#include "ranks/transform/simple_fsdp.h"

#include "ranks/mechanism/parametrization.h"

namespace ordercheck::ranks {
namespace {

void apply_simple_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(program.parts, item,
                           {.shards = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform simple_fsdp_transform() {
  return {
      .built = {.name = "simple_fsdp", .scopes = {"model"}, .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
      .apply = apply_simple_fsdp};
}

}  // namespace ordercheck::ranks
