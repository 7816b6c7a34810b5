// FSDP2: fully_shard on each block, then on the root, which takes what is left. As in FSDP2 a block's parameters are freed
// after its forward by default, the root's are not.
#include "ranks/transform/fsdp.h"

#include <fmt/format.h>

#include "ranks/mechanism/blocks.h"
#include "ranks/mechanism/sharded_group.h"

namespace ordercheck::ranks {

namespace {

void apply_fsdp(TrainingProgram& program, const Item& item, const Site& site) {
  const std::string reshard = option_of(item, "reshard").value_or("default");
  ShardedGroupOptions options{.axis = "dp_shard", .mesh = site.mesh, .rank = site.rank, .mutant = site.mutant};
  options.free_after_forward = reshard != "never";
  if (scope_of(item) == Scope::block) {
    for (const ModulePtr& block : blocks_of(program.model)) ShardedGroup::attach(*block, options);
  }
  options.free_after_forward = reshard == "always";
  ShardedGroup::attach(*program.model, options);
}

}  // namespace

Transform fsdp_transform() {
  return {.built = {.name = "fsdp", .scopes = {"block", "model"}, .options = {{"reshard"}}}, .apply = apply_fsdp};
}

}  // namespace ordercheck::ranks
