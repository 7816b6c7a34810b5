// FSDP2: fully_shard on each block, then on the root, which takes what is left. As in FSDP2 a block's parameters are freed
// after its forward by default, the root's are not.
#include "ranks/transform/fsdp.h"

#include <fmt/format.h>

#include "ranks/mechanism/blocks.h"
#include "ranks/mechanism/sharded_group.h"

namespace ordercheck::ranks {

std::string cannot_fsdp(const Item& item) {
  const std::string reshard = option_of(item, "reshard").value_or("default");
  if (reshard != "default" && reshard != "always" && reshard != "never") {
    return fmt::format("fsdp:reshard expects default, always or never, got '{}'", reshard);
  }
  if (option_of(item, "mp")) return "fsdp:mp is not built: this engine has one dtype; the pytorch engine casts";
  if (scope_of(item) != Scope::block && scope_of(item) != Scope::model) {
    return fmt::format("fsdp is not built for the scope {}", name_of(scope_of(item)));
  }
  return "";
}

void apply_fsdp(Subject& subject, const Item& item, const Site& site) {
  const std::string reshard = option_of(item, "reshard").value_or("default");
  ShardedGroupOptions options{.axis = "dp_shard", .mesh = site.mesh, .rank = site.rank, .mutant = site.mutant};
  options.free_after_forward = reshard != "never";
  if (scope_of(item) == Scope::block) {
    for (const ModulePtr& block : blocks_of(subject.model)) ShardedGroup::attach(*block, options);
  }
  options.free_after_forward = reshard == "always";
  ShardedGroup::attach(*subject.model, options);
}

}  // namespace ordercheck::ranks
