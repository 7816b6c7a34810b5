// `ep`: expert parallelism: distributes the experts of a mixture over ranks taken from dp_shard * cp * tp.
//
//   etp    1, or the degree of tp: splits each expert over tp too, and gives the tp ranks the same tokens
//
// Like torchtitan's ExpertParallel, it applies to the block's attribute moe.experts, through any wrappers of the block.
#include <stdexcept>

#include <fmt/format.h>

#include "native/transform/attribute.h"
#include "native/transform/distributed_experts.h"
#include "native/transform/sharded_blocks.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

void apply_ep(TrainingProgram& program, const Item& item, const Site& site) {
  if (!carves_evenly(site.mesh))
    throw std::runtime_error(
        fmt::format("ep={} does not divide the ranks of dp_shard * cp * tp that it is carved from", site.mesh.ep));
  const ExpertSite expert_site{.mesh = site.mesh, .rank = site.rank, .split_within = count_option(item, "etp", 1) > 1};
  for (const ModulePtr& block : blocks_of(program.parts)) {
    const ModulePtr moe = find_attribute(block, "moe");
    if (!moe) continue;
    distribute_experts(*attribute(moe, "experts"), expert_site);
  }
}

}  // namespace

Transform ep_transform() { return {.built = {.name = "ep", .scopes = {"experts"}, .options = {{"etp"}}}, .apply = apply_ep}; }

}  // namespace ordercheck::ranks
