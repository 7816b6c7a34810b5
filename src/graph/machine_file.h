// Reads a machine that costs are stated for from a TOML file.
//
//   name = "H100, 8 a node, InfiniBand between nodes"
//   memory_gb_per_s = 3350
//   launch_us = 7              # least time of a kernel
//   reachable_percent = 70     # of the speeds of memory and products
//
//   [tflop_per_s]              # of matrix products, by bytes per element
//   2_bytes = 989
//
//   [link]                     # between the ranks of any mesh axis
//   gb_per_s = 450
//   latency_us = 5
//
//   [link.dp_shard]            # between those of this one
//   gb_per_s = 50
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/costs.h"

namespace ordercheck::placing {

// What the file leaves out is as of the machine h100(). `path` names the file in errors. An error is one line, also for a link
// of an axis that `mesh` does not have.
Result<Machine> read_machine(std::string_view text, const std::string& path, const DeviceMesh& mesh);

}  // namespace ordercheck::placing
