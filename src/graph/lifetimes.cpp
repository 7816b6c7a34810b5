#include "graph/lifetimes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace ordercheck::captured {
namespace {

// The time that memory is held: from step index `from` to `to`, inclusive.
struct Span {
  std::size_t from, to;
};

std::int64_t most_at_once(const std::vector<std::pair<Span, std::int64_t>>& held, std::size_t places) {
  std::vector<std::int64_t> change(places + 1);
  for (const auto& [span, bytes] : held) {
    change[span.from] += bytes;
    change[span.to + 1] -= bytes;
  }
  std::int64_t now = 0, most = 0;
  for (const std::int64_t step : change) most = std::max(most, now += step);
  return most;
}

// The memory that one graph of a step holds.
class HeldMemory {
 public:
  HeldMemory(const GraphRecord& graph, std::size_t places) : graph_(graph), memory_(memory_of(graph)), end_(places - 1) {}

  void visit(std::size_t place, const GraphNodeRecord& node) {
    if (!node.backward) forward_end_ = place;
    for (const int value : node.operands) {
      read(memory(value), place);
      if (node.op == kWait)  // the collective's input is free too
        if (const auto sent = handed_.find(memory(value)); sent != handed_.end())
          for (const int handed : sent->second) read(handed, place);
    }
    for (const int value : node.results) {
      made_.emplace(memory(value), place);
      read(memory(value), place);
      if (is_start(node))
        for (const int operand : node.operands) handed_[memory(value)].push_back(memory(operand));
    }
  }

  void end(std::vector<std::pair<Span, std::int64_t>>& held) {
    for (const int value : graph_.outputs) read(memory(value), forward_end_);
    for (const int value : graph_.gradients) read(memory(value), end_);
    std::map<int, bool> saved;
    for (const int value : graph_.saved) saved[memory(value)] = true;
    for (const int value : graph_.parameters) saved.erase(memory(value));
    for (const auto& [value, last] : last_) {
      const auto made = made_.find(value);
      if (made != made_.end())
        held.push_back({{made->second, last}, bytes_of(graph_, value)});
      else if (saved.contains(value) && last > forward_end_)
        held.push_back({{forward_end_, last}, bytes_of(graph_, value)});
    }
  }

 private:
  int memory(int value) const { return memory_[static_cast<std::size_t>(value)]; }
  void read(int memory, std::size_t place) {
    std::size_t& last = last_[memory];
    last = std::max(last, place);
  }

  const GraphRecord& graph_;
  std::vector<int> memory_;
  std::size_t end_;
  std::size_t forward_end_ = 0;
  std::map<int, std::size_t> made_, last_;  // by memory
  std::map<int, std::vector<int>> handed_;  // inputs of the collective that writes a memory
};

// Whether the node's result shares its operand's memory although the operator's schema does not say so.
bool hands_on(const GraphNodeRecord& node) { return node.op == kWait || node.op == "aten::_unsafe_view"; }

}  // namespace

bool is_start(const GraphNodeRecord& node) { return node.op.starts_with("_c10d_functional::") && node.op != kWait; }

std::vector<int> memory_of(const GraphRecord& graph) {
  std::vector<int> shown = graph.view_of;
  for (const GraphNodeRecord& node : graph.nodes)
    if (hands_on(node) && node.operands.size() == 1 && node.results.size() == 1 && node.operands[0] != node.results[0])
      shown[static_cast<std::size_t>(node.results[0])] = node.operands[0];
  std::vector<int> memory(shown.size());
  for (std::size_t value = 0; value < shown.size(); ++value) {
    int at = static_cast<int>(value);
    // The bound ends the walk if views form a cycle.
    for (std::size_t steps = 0; shown[static_cast<std::size_t>(at)] != -1 && steps < shown.size(); ++steps)
      at = shown[static_cast<std::size_t>(at)];
    memory[value] = at;
  }
  return memory;
}

std::int64_t bytes_of(const GraphRecord& graph, int value) {
  const auto& shape = graph.shapes[static_cast<std::size_t>(value)];
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{graph.element_bytes[static_cast<std::size_t>(value)]},
                         std::multiplies<>());
}

std::vector<StepNode> step_of(const std::vector<GraphRecord>& graphs) {
  std::vector<StepNode> step;
  const auto add = [&](std::size_t graph, bool backward) {
    for (std::size_t node = 0; node < graphs[graph].nodes.size(); ++node)
      if (graphs[graph].nodes[node].backward == backward) step.push_back({.graph = graph, .node = node});
  };
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) add(graph, false);
  for (std::size_t graph = graphs.size(); graph-- > 0;) add(graph, true);
  return step;
}

std::int64_t held_bytes_peak(const std::vector<GraphRecord>& graphs) {
  const std::vector<StepNode> step = step_of(graphs);
  if (step.empty()) return 0;
  std::vector<HeldMemory> memories;
  for (const GraphRecord& graph : graphs) memories.emplace_back(graph, step.size());
  for (std::size_t place = 0; place < step.size(); ++place)
    memories[step[place].graph].visit(place, graphs[step[place].graph].nodes[step[place].node]);
  std::vector<std::pair<Span, std::int64_t>> held;
  for (HeldMemory& memory : memories) memory.end(held);
  return most_at_once(held, step.size());
}

namespace {

class Planner {
 public:
  Planner(const GraphRecord& graph, SentBuffers sent) : graph_(graph), memory_(memory_of(graph)) {
    plan_.buffer.assign(graph.shapes.size(), -1);
    // Returned values outlive the graph, so they keep memory of their own.
    for (const auto* handed_out : {&graph.saved, &graph.outputs, &graph.gradients})
      for (const int value : *handed_out) outside_.insert(memory(value));
    find_last_readers(sent);
  }

  BufferPlan plan() && {
    std::set<int> known;
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      for (const int value : graph_.nodes[at].results)
        if (memory(value) == value && known.insert(value).second && !outside_.contains(value)) place(value);
      // Free after placing: a node must not write over its own operands.
      for (const int value : last_read_at_[at])
        if (const int buffer = plan_.buffer[static_cast<std::size_t>(value)]; buffer != -1)
          free_[bytes_of(graph_, value)].push_back(buffer);
    }
    return std::move(plan_);
  }

 private:
  int memory(int value) const { return memory_[static_cast<std::size_t>(value)]; }

  void find_last_readers(SentBuffers sent) {
    std::map<int, std::size_t> last;
    std::map<int, std::vector<int>> handed;  // inputs of the collective that writes a memory
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const GraphNodeRecord& node = graph_.nodes[at];
      for (const int value : node.results) {
        last[memory(value)] = at;
        if (is_start(node))
          for (const int operand : node.operands) handed[memory(value)].push_back(memory(operand));
      }
      for (const int value : node.operands) {
        last[memory(value)] = at;
        if (node.op == kWait && sent == SentBuffers::kept_to_the_wait)
          for (const int operand : handed[memory(value)]) last[operand] = at;
      }
    }
    last_read_at_.resize(graph_.nodes.size());
    for (const auto& [value, at] : last) last_read_at_[at].push_back(value);
  }

  void place(int value) {
    std::vector<int>& free = free_[bytes_of(graph_, value)];
    if (free.empty()) {
      free.push_back(static_cast<int>(plan_.bytes.size()));
      plan_.bytes.push_back(bytes_of(graph_, value));
    }
    plan_.buffer[static_cast<std::size_t>(value)] = free.back();
    free.pop_back();
  }

  const GraphRecord& graph_;
  std::vector<int> memory_;
  std::set<int> outside_;
  std::vector<std::vector<int>> last_read_at_;     // memories, by node
  std::map<std::int64_t, std::vector<int>> free_;  // buffers, by bytes
  BufferPlan plan_;
};

}  // namespace

BufferPlan plan_buffers(const GraphRecord& graph, SentBuffers sent) { return Planner(graph, sent).plan(); }

namespace {

// Simulates a graph with a buffer plan, to check the plan. The content of a buffer is the number of the value written last.
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
        return Error{fmt::format("the plan places %{} in buffer {}, but has {} buffers", value, buffer, plan_.bytes.size())};
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
        // The collective owns its input and output buffers until the wait.
        for (const int own : *values)
          if (const auto buffer = buffer_of(own)) held.insert(*buffer);
    }
    return Done{};
  }

  Status end() const {
    for (const auto* values : {&graph_.saved, &graph_.outputs, &graph_.gradients})
      for (const int value : *values)
        if (const auto other = written_over(value))
          return Error{fmt::format("%{} is an output, but %{} overwrote its buffer", value, *other)};
    return Done{};
  }

 private:
  int memory(int value) const { return memory_[static_cast<std::size_t>(value)]; }

  std::optional<int> buffer_of(int value) const {
    const int buffer = plan_.buffer[static_cast<std::size_t>(memory(value))];
    return buffer == -1 ? std::nullopt : std::optional(buffer);
  }

  // The value that overwrote this one in its buffer, if any.
  std::optional<int> written_over(int value) const {
    const auto buffer = buffer_of(value);
    const auto held = buffer ? holds_.find(*buffer) : holds_.end();
    return held == holds_.end() || held->second == memory(value) ? std::nullopt : std::optional(held->second);
  }

  Status reads(const GraphNodeRecord& node, int value) const {
    if (node.op != kWait && on_the_way_.contains(memory(value)))
      return Error{fmt::format("{} reads %{} before the wait for it", node.op, value)};
    if (const auto other = written_over(value))
      return Error{fmt::format("{} reads %{}, but %{} overwrote its buffer", node.op, value, *other)};
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
  std::map<int, int> holds_;                 // buffer -> the value last written
  std::map<int, std::set<int>> on_the_way_;  // collectives in flight, by output memory, with their buffers
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
