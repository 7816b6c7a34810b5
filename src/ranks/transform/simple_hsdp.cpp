// SimpleFSDP's mode hybrid_shard, on a mesh of two dims.
#include "ranks/transform/simple_hsdp.h"

#include "ranks/mechanism/parametrization.h"

namespace ordercheck::ranks {
namespace {

void apply_simple_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(
      program.parts, item,
      {.shards = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform simple_hsdp_transform() {
  return {
      .built = {.name = "simple_hsdp", .scopes = {"model"}, .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
      .apply = apply_simple_hsdp};
}

}  // namespace ordercheck::ranks
