// Which values of a captured graph share memory, and how long it is held.
//
// A step is forward and backward of graphs that were captured of parts of one model: the forwards in the order of capture, then the
// backwards the other way round, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/graph_record.h"

namespace ordercheck::captured {

inline constexpr const char* kWait = "_c10d_functional::wait_tensor";

// Sends something that is waited for elsewhere.
bool is_start(const GraphNodeRecord& node);

// Of value n the value whose memory it lies in: itself, but for views and for what a wait returns.
std::vector<int> memory_of(const GraphRecord& graph);

// Of the memory that a value lies in.
std::int64_t bytes_of(const GraphRecord& graph, int value);

// A place in a step.
struct StepNode {
  std::size_t graph = 0, node = 0;
};
std::vector<StepNode> step_of(const std::vector<GraphRecord>& graphs);

// The most bytes held at once in a step of what the graphs make: from the node that makes it up to the last that reads it, for what a
// collective was handed up to its wait. Gradients are held to the end, what forward hands out to the end of the graph's forward. What a
// graph is handed counts where it is saved, from the end of forward on.
std::int64_t held_bytes_peak(const std::vector<GraphRecord>& graphs);

}  // namespace ordercheck::captured
