#include "record/graph_record.h"

#include <algorithm>

#include <fmt/format.h>

namespace ordercheck {
namespace {

bool are_among(const std::vector<int>& values, std::size_t count) {
  return std::ranges::all_of(values, [&](int value) { return value >= 0 && static_cast<std::size_t>(value) < count; });
}

// Whether every chain of views ends; a chain longer than the number of values is a cycle.
bool views_end(const std::vector<int>& view_of) {
  for (int value : view_of) {
    for (std::size_t steps = 0; value != -1; ++steps) {
      if (value < 0 || static_cast<std::size_t>(value) >= view_of.size() || steps >= view_of.size()) return false;
      value = view_of[static_cast<std::size_t>(value)];
    }
  }
  return true;
}

// Keeps sums over a graph from overflowing.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

bool fits_a_memory(const std::vector<std::int64_t>& shape, std::int64_t element_bytes) {
  std::int64_t bytes = element_bytes;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && bytes > kMostBytes / size)) return false;
    bytes *= size;
  }
  return true;
}

}  // namespace

Status check_graph_record(const GraphRecord& graph) {
  const std::size_t count = graph.shapes.size();
  if (graph.element_bytes.size() != count || graph.view_of.size() != count)
    return Error{fmt::format("a recorded graph has {} shapes, {} sizes of elements and {} views; expected one of each a value",
                             count, graph.element_bytes.size(), graph.view_of.size())};
  bool known = true;
  for (const auto* values : {&graph.inputs, &graph.parameters, &graph.saved, &graph.outputs, &graph.tangents, &graph.gradients})
    known = known && are_among(*values, count);
  for (const GraphNodeRecord& node : graph.nodes)
    known = known && are_among(node.operands, count) && are_among(node.results, count);
  if (!known) return Error{fmt::format("a recorded graph of {} values names one that is not among them", count)};
  for (std::size_t value = 0; value < count; ++value)
    if (!fits_a_memory(graph.shapes[value], graph.element_bytes[value]))
      return Error{fmt::format("a recorded graph has a value, %{}, of more than {} bytes", value, kMostBytes)};
  if (!views_end(graph.view_of)) return Error{fmt::format("a recorded graph of {} values has views that end at none", count)};
  return Done{};
}

}  // namespace ordercheck
