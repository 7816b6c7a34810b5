// Which values of a captured graph share memory, and how long it is held.
//
// A step is forward and backward of graphs that were captured of parts of one model: the forwards in the order of capture, then the
// backwards the other way round, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
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

// Memory of values that nobody reads any more, given to values that come later: a plan of it, and a check of any plan.
//
//   needs     a graph in the order in which it is run
//   provides  a buffer for every value that stays inside, views in that of what they show; two values share one only where the second is
//             made behind the last node that reads the first
//   forbids   nothing of what is handed out: saved values, outputs and gradients have memory of their own
//
// A collective reads and writes beside compute from its start up to its wait: both its buffers are its own until then, though no node of
// the graph names the one that is sent. A planner that goes by the last node that reads a value gives it away at the start.
//
// After the buffer reuse of torch._inductor.memory_planning (by exact size, at the last use). torchtitan turns it off around reordered
// collectives (allow_buffer_reuse=False), which pytorch#100762 asks for.

struct BufferPlan {
  std::vector<int> buffer;          // of value n: where it is written; -1 for memory of its own, and for a view
  std::vector<std::int64_t> bytes;  // of buffer b
  friend bool operator==(const BufferPlan&, const BufferPlan&) = default;
};

// When what a collective was handed is given up: behind the wait, as is right, or where the graph reads it last.
ORDERCHECK_ENUM(SentBuffers, kept_to_the_wait, given_up_at_the_start)

BufferPlan plan_buffers(const GraphRecord& graph, SentBuffers sent = SentBuffers::kept_to_the_wait);

// An error says the first thing that is wrong: a plan of another graph, or a buffer that is too small; then node by node one that reads
// what a collective has still to write, or what another one has written over, or one that writes over what it reads, or where a
// collective on its way reads or writes; then something handed out that was written over.
Status check_buffers(const GraphRecord& graph, const BufferPlan& plan);

}  // namespace ordercheck::captured
