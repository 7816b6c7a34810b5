// The transforms for SimpleFSDP's modes, which parametrize parameters in the graph:
//
//   simple_fsdp       fully_shard: parameters gather themselves where they are read
//   simple_hsdp       hybrid_shard: sharded over dp_shard and replicated over dp_replicate
//   simple_replicate  all-reduces each gradient separately
//
// Option `reshard` decides whether backward gathers again what forward gathered. It only affects a captured graph, and
// simple_replicate gathers nothing.
#include "native/transform/parametrization.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// SimpleFSDP's mode fully_shard. It also shards over axes that split a sample's tokens: torchtitan's dp_shard_cp.
void apply_simple_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(program.parts, item,
                           {.shards = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

// SimpleFSDP's mode hybrid_shard, on a 2D mesh.
void apply_simple_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(
      program.parts, item,
      {.shards = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

// SimpleFSDP's mode replicate. It sends no values: ranks keep their own.
void apply_simple_replicate(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(program.parts, item, {.replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform simple_fsdp_transform() {
  return {
      .built = {.name = "simple_fsdp", .scopes = {"model"}, .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
      .apply = apply_simple_fsdp};
}

Transform simple_hsdp_transform() {
  return {
      .built = {.name = "simple_hsdp", .scopes = {"model"}, .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
      .apply = apply_simple_hsdp};
}

Transform simple_replicate_transform() {
  return {.built = {.name = "simple_replicate",
                    .scopes = {"model"},
                    .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
          .apply = apply_simple_replicate};
}

}  // namespace ordercheck::ranks
