#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "captured/lifetimes.h"

namespace ordercheck::captured {
namespace {

// Runs a graph by its plan, with the names of values in the buffers in place of numbers.
class PlannedRun {
 public:
  PlannedRun(const GraphRecord& graph, const BufferPlan& plan) : graph_(graph), plan_(plan), memory_(memory_of(graph)) {}

  Status fits() const {
    if (plan_.buffer.size() != graph_.shapes.size())
      return Error{fmt::format("the plan places {} values, the graph has {}", plan_.buffer.size(), graph_.shapes.size())};
    for (std::size_t value = 0; value < plan_.buffer.size(); ++value) {
      const int buffer = plan_.buffer[value];
      if (buffer == -1) continue;
      if (buffer < 0 || static_cast<std::size_t>(buffer) >= plan_.bytes.size())
        return Error{fmt::format("the plan places %{} in buffer {}, and has {}", value, buffer, plan_.bytes.size())};
      const std::int64_t bytes = bytes_of(graph_, static_cast<int>(value));
      if (plan_.bytes[static_cast<std::size_t>(buffer)] < bytes)
        return Error{fmt::format("the plan places %{} of {} bytes in buffer {} of {}", value, bytes, buffer,
                                 plan_.bytes[static_cast<std::size_t>(buffer)])};
    }
    return Done{};
  }

  Status run(const GraphNodeRecord& node) {
    for (const int value : node.operands)
      if (Status read = reads(node, value); !read) return read;
    if (node.op == kWait)
      for (const int value : node.operands) on_the_way_.erase(memory(value));
    for (const int value : node.results)
      if (memory(value) == value)
        if (Status written = writes(node, value); !written) return written;
    if (!is_start(node)) return Done{};
    for (const int value : node.results) {
      std::set<int>& held = on_the_way_[memory(value)];
      for (const auto* values : {&node.operands, &node.results})
        for (const int own : *values)
          if (const auto buffer = buffer_of(own)) held.insert(*buffer);
    }
    return Done{};
  }

  Status end() const {
    for (const auto* values : {&graph_.saved, &graph_.outputs, &graph_.gradients})
      for (const int value : *values)
        if (const auto other = written_over(value))
          return Error{fmt::format("%{} is handed out, and %{} was written over it", value, *other)};
    return Done{};
  }

 private:
  int memory(int value) const { return memory_[static_cast<std::size_t>(value)]; }

  std::optional<int> buffer_of(int value) const {
    const int buffer = plan_.buffer[static_cast<std::size_t>(memory(value))];
    return buffer == -1 ? std::nullopt : std::optional(buffer);
  }

  // What lies where a value was written, where that is another one.
  std::optional<int> written_over(int value) const {
    const auto buffer = buffer_of(value);
    const auto held = buffer ? holds_.find(*buffer) : holds_.end();
    return held == holds_.end() || held->second == memory(value) ? std::nullopt : std::optional(held->second);
  }

  Status reads(const GraphNodeRecord& node, int value) const {
    if (node.op != kWait && on_the_way_.contains(memory(value)))
      return Error{fmt::format("{} reads %{} before the wait for it", node.op, value)};
    if (const auto other = written_over(value))
      return Error{fmt::format("{} reads %{}, and %{} was written over it", node.op, value, *other)};
    return Done{};
  }

  Status writes(const GraphNodeRecord& node, int value) {
    const auto buffer = buffer_of(value);
    if (!buffer) return Done{};
    for (const int operand : node.operands)
      if (buffer_of(operand) == buffer)
        return Error{fmt::format("{} writes %{} over %{}, which it reads", node.op, value, operand)};
    for (const auto& [sent, held] : on_the_way_)
      if (held.contains(*buffer))
        return Error{fmt::format("{} writes %{} to buffer {}, which the collective of %{} has up to its wait", node.op, value,
                                 *buffer, sent)};
    holds_[*buffer] = value;
    return Done{};
  }

  const GraphRecord& graph_;
  const BufferPlan& plan_;
  std::vector<int> memory_;
  std::map<int, int> holds_;                 // buffers, and what was last written to them
  std::map<int, std::set<int>> on_the_way_;  // collectives by the memory that they make, and their buffers
};

}  // namespace

Status check_buffers(const GraphRecord& graph, const BufferPlan& plan) {
  PlannedRun planned(graph, plan);
  if (Status fits = planned.fits(); !fits) return fits;
  for (const GraphNodeRecord& node : graph.nodes)
    if (Status ran = planned.run(node); !ran) return ran;
  return planned.end();
}

}  // namespace ordercheck::captured
