// Computes which values of captured graphs share memory, and how long each is held.
//
// A step runs graphs captured from parts of one model: forwards in capture order, then backwards in reverse, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "record/graph_record.h"

namespace ordercheck::captured {

inline constexpr const char* kWait = "_c10d_functional::wait_tensor";

// Whether the node starts an async collective.
bool is_start(const GraphNodeRecord& node);

// For each value, the value whose memory it uses: itself, except for views and results of waits.
std::vector<int> memory_of(const GraphRecord& graph);

// Bytes of the memory that a value uses.
std::int64_t bytes_of(const GraphRecord& graph, int value);

// A node that runs in a training step: its graph and its index there.
struct StepNode {
  std::size_t graph = 0, node = 0;
};
std::vector<StepNode> step_of(const std::vector<GraphRecord>& graphs);

// Peak bytes in a step of values made by the graphs. A value is held from its producer to its last reader, a collective's input
// to its wait. Gradients are held to the end, forward outputs to the end of the graph's forward. A saved graph input that is
// not a parameter counts from the end of forward on.
std::int64_t held_bytes_peak(const std::vector<GraphRecord>& graphs);

// Plans which values of a graph reuse the same buffer, and checks such plans.
//
// - Input: a graph in execution order.
// - Result: a buffer for every internal value; views use the buffer of their base. Two values share one only if the second is
//   made after the last reader of the first.
// - Saved values, outputs and gradients keep memory of their own.
//
// A collective runs concurrently with compute from its start to its wait, and owns its input and output buffers until then. No
// node reads the input at the wait, so a planner that uses last readers alone frees it at the start.
//
// Follows the buffer reuse of torch._inductor.memory_planning (exact size, at last use). torchtitan disables it around
// reordered collectives (allow_buffer_reuse=False), which pytorch#100762 asks for.

struct BufferPlan {
  std::vector<int> buffer;          // per value: its buffer; -1 for memory of its own, and for a view
  std::vector<std::int64_t> bytes;  // per buffer: its size
  friend bool operator==(const BufferPlan&, const BufferPlan&) = default;
};

// When to free a collective's input: after its wait, which is correct, or at its last reader.
ORDERCHECK_ENUM(SentBuffers, kept_to_the_wait, given_up_at_the_start)

BufferPlan plan_buffers(const GraphRecord& graph, SentBuffers sent = SentBuffers::kept_to_the_wait);

// Checks a buffer plan. The error names the first mistake:
// - a plan of another graph, or a buffer that is too small
// - a read before a collective has written the value, or after another value overwrote it
// - a write over the node's own input, or into a buffer of a collective in flight
// - a returned value that was overwritten
Status check_buffers(const GraphRecord& graph, const BufferPlan& plan);

}  // namespace ordercheck::captured
