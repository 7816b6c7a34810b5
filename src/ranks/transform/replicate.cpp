// The replicate of torch.distributed._composable that is built on FSDP2's parameter groups: every parameter is registered anew
// and stays whole, and a group's gradients are summed once all of them are there. As FSDP2 it takes the values that each rank
// holds and sends none.
#include "ranks/transform/replicate.h"

#include "ranks/mechanism/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

void apply_replicate(TrainingProgram& program, const Item&, const Site& site) {
  const ShardedGroupOptions options{.axis = "", .replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank};
  for (const ModulePtr& model : program.parts) shard_blocks_and_root(model, Scope::block, "default", options);
}

}  // namespace

Transform replicate_transform() { return {.built = {.name = "replicate", .scopes = {"model"}}, .apply = apply_replicate}; }

}  // namespace ordercheck::ranks
