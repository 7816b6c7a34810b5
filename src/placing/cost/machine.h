// The machine that costs are stated for. Times are in microseconds, sizes in bytes; nothing here is measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/graph/placement.h"

namespace ordercheck::placing {

// Between the ranks of one mesh axis.
struct Link {
  double bytes_per_us = 0;
  double latency_us = 0;  // of one message
};

struct Machine {
  std::string name = "";               // for people
  std::map<int, double> flops_per_us;  // by bytes of an element
  double memory_bytes_per_us = 0;
  double reachable = 0.7;   // of both peaks
  double launch_us = 7;     // no kernel takes less
  std::vector<Link> links;  // one a mesh axis
};

// Of the data sheet of one H100: 3.35 TB/s, 989 bf16 and 67 float64 TFLOP/s, and NVLink at 450 GB/s for every axis.
Machine h100(const DeviceMesh& mesh);

// A link for every axis, and nothing zero or negative but latencies and the launch, which may be 0.
Status check_machine(const Machine& machine, const DeviceMesh& mesh);

}  // namespace ordercheck::placing
