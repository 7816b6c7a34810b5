// What SimpleFSDP's modes make of parameters, in the graph:
//
//   simple_fsdp       fully_shard: they gather themselves where they are read
//   simple_hsdp       hybrid_shard: the same with replicated shards: over dp_shard within, over dp_replicate across
//   simple_replicate  each gradient is all-reduced by itself
//
// Their option `reshard` says whether what forward gathered is gathered again in backward. A captured graph is told; without one there
// is nobody to tell, and of simple_replicate there is nothing to gather.
#include "ranks/mechanism/parametrization.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// SimpleFSDP's mode fully_shard. It shards over every axis whose ranks have other tokens of its samples, too: torchtitan's dp_shard_cp.
void apply_simple_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(program.parts, item,
                           {.shards = with_sequence_axes(site.mesh, "dp_shard"), .mesh = site.mesh, .rank = site.rank});
}

// SimpleFSDP's mode hybrid_shard, on a mesh of two dims.
void apply_simple_hsdp(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(
      program.parts, item,
      {.shards = with_sequence_axes(site.mesh, "dp_shard"), .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

// SimpleFSDP's mode replicate. As distribute_tensor of what every rank holds alike it sends no values: ranks keep their own.
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
