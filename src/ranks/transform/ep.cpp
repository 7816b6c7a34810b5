// `ep`: expert parallelism: the experts of a mixture are spread over ranks that are carved from dp_shard * cp * tp.
//
//   etp    each expert is split over tp too, whose ranks then have the same tokens; 1, or the degree of tp
// As torchtitan applies ExpertParallel: to the module that a block hands out as moe.experts, whatever is wrapped around the block.
#include <stdexcept>

#include <fmt/format.h>

#include "ranks/mechanism/attribute.h"
#include "ranks/mechanism/distributed_experts.h"
#include "ranks/mechanism/sharded_blocks.h"
#include "ranks/transform/transform.h"

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
