// Where a rank's numbers came from, as the rank itself saw it, held against what was asked for. A record names a device and a world:
// a world that loses what it was asked for on the way would compute somewhere else, bit for bit as well, and nothing else would tell.
#pragma once

#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "ranks/module/rank.h"

namespace ordercheck::ranks {

struct WhereItRan {
  std::string device;   // of the parameters: "cpu", "cuda:0"
  std::string backend;  // of the group of all ranks: "ordercheck_gloo"; "" where a rank is alone
  friend bool operator==(const WhereItRan&, const WhereItRan&) = default;
};

// Of the rank of this thread, whose parameter (any of them; the rank's device where it has none) lies on `device`.
WhereItRan where_this_rank_ran(const RankState& rank, c10::Device device);

// In one line, the first rank that ran elsewhere than asked, or "". `asked` and `ran`: of each rank.
std::string why_elsewhere(const std::vector<WhereItRan>& asked, const std::vector<WhereItRan>& ran);

}  // namespace ordercheck::ranks
