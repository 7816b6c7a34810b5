#include "native/train/rank_result.h"

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace ordercheck::ranks {
namespace {

std::string text_of(const WhereItRan& where) {
  return where.backend.empty() ? where.device : fmt::format("{} by {}", where.device, where.backend);
}

}  // namespace

WhereItRan where_this_rank_ran(const RankState& rank, c10::Device device) {
  WhereItRan where{.device = device.str(), .backend = ""};
  if (world_size(rank.mesh) > 1)
    where.backend = c10d::resolve_process_group("world")->getBackend(device.type())->getBackendName();
  return where;
}

std::string why_elsewhere(const std::vector<WhereItRan>& asked, const std::vector<WhereItRan>& ran) {
  for (std::size_t rank = 0; rank < asked.size(); ++rank)
    if (ran.at(rank) != asked[rank])
      return fmt::format("rank {} ran on {}, and {} was asked for", rank, text_of(ran[rank]), text_of(asked[rank]));
  return "";
}

}  // namespace ordercheck::ranks
