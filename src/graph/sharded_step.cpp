#include "graph/sharded_step.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.h"
#include "graph/lifetimes.h"

namespace ordercheck::captured {
namespace {

constexpr const char* kGather = "_c10d_functional::all_gather_into_tensor";
constexpr const char* kScatter = "_c10d_functional::reduce_scatter_tensor";
constexpr const char* kGroup = "dp_shard";

using Nodes = std::vector<GraphNodeRecord>;

// "layers.2" of "layers.2.norm.weight": up to the first number, else the first name.
std::string block_of(const std::string& parameter) {
  const std::vector<std::string> parts = split(parameter, '.');
  for (std::size_t at = 0; at + 1 < parts.size(); ++at)
    if (!parts[at].empty() && std::isdigit(static_cast<unsigned char>(parts[at][0])) != 0)
      return join(std::vector(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(at) + 1), ".");
  return parts.front();
}

std::int64_t elements_of(const GraphRecord& graph, int value) {
  const auto& shape = graph.shapes[static_cast<std::size_t>(value)];
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Consecutive nodes of the step. Stretches that start or end a collective can be moved.
struct Stretch {
  enum class Kind { compute, gather_start, gather_end, scatter_start, scatter_end };
  Kind kind = Kind::compute;
  Nodes nodes;
};

class Sharding {
 public:
  Sharding(const GraphRecord& whole, const std::vector<std::string>& names, int ranks, const ShardedMode& mode)
      : graph_(whole), ranks_(ranks), mode_(mode), names_(names) {}

  GraphRecord made() {
    const Nodes nodes = std::exchange(graph_.nodes, {});
    const std::vector<int> wholes = graph_.parameters;
    add_parameters(nodes, wholes);
    for (const GraphNodeRecord& node : nodes)
      if (!node.backward && !casts_.contains(node.results.empty() ? -1 : node.results.front())) add_forward(node);
    std::vector<Stretch> forward = std::exchange(stretches_, {});
    gathered_.clear();
    in_backward_ = true;
    for (const GraphNodeRecord& node : nodes)
      if (node.backward) add_backward(node);
    if (mode_.one_ahead) {
      send_ahead(forward);
      send_ahead(stretches_);
    }
    for (auto* half : {&forward, &stretches_})
      for (Stretch& each : *half) std::ranges::move(each.nodes, std::back_inserter(graph_.nodes));
    note_saved();
    return std::move(graph_);
  }

 private:
  struct Sharded {
    std::string bucket;
    int shard = 0;     // of the cast, or of the parameter if it is not cast
    int gathered = 0;  // the whole value that forward reads
    int gradient = 0;
  };

  int value(std::vector<std::int64_t> shape, int bytes, int view_of = -1) {
    graph_.shapes.push_back(std::move(shape));
    graph_.element_bytes.push_back(bytes);
    graph_.view_of.push_back(view_of);
    return static_cast<int>(graph_.shapes.size()) - 1;
  }
  int flat(std::int64_t elements, int bytes, int view_of = -1) { return value({elements}, bytes, view_of); }
  int bytes_per_element(int of) const { return graph_.element_bytes[static_cast<std::size_t>(of)]; }

  GraphNodeRecord node(const char* op, std::vector<int> operands, std::vector<int> results) const {
    return {.op = op, .backward = in_backward_, .operands = std::move(operands), .results = std::move(results)};
  }
  GraphNodeRecord collective(const char* op, int in, int out, const std::string& bucket) const {
    GraphNodeRecord made = node(op, {in}, {out});
    made.bucket = mode_.by_block ? bucket : "";
    made.group = kGroup;
    made.ranks = ranks_;
    return made;
  }

  // Replaces every parameter by its shard. If the only reader is a cast, casts the shard, so that the gather has fewer bytes.
  void add_parameters(const Nodes& nodes, const std::vector<int>& wholes) {
    std::map<int, std::vector<const GraphNodeRecord*>> readers;
    for (const GraphNodeRecord& each : nodes)
      for (const int operand : each.operands) readers[operand].push_back(&each);
    Nodes on_shards;
    for (std::size_t at = 0; at < wholes.size(); ++at) {
      const int whole = wholes[at];
      const std::int64_t length = (elements_of(graph_, whole) + ranks_ - 1) / ranks_;
      Sharded sharded{
          .bucket = mode_.by_block ? block_of(names_[at]) : names_[at], .gathered = whole, .gradient = graph_.gradients[at]};
      graph_.parameters[at] = sharded.shard = flat(length, bytes_per_element(whole));
      const auto& read = readers[whole];
      if (read.size() == 1 && read.front()->op == "aten::_to_copy") {
        sharded.gathered = read.front()->results.front();
        casts_.insert(sharded.gathered);
        const int cast = flat(length, bytes_per_element(sharded.gathered));
        on_shards.push_back(node("aten::_to_copy", {sharded.shard}, {cast}));
        sharded.shard = cast;
      }
      of_parameters_.insert(sharded.gathered);
      parameter_of_[sharded.gathered] = at;
      of_gradient_[sharded.gradient] = at;
      buckets_[sharded.bucket].push_back(at);
      sharded_.push_back(std::move(sharded));
    }
    stretches_.push_back({.nodes = std::move(on_shards)});
  }

  void add_forward(const GraphNodeRecord& each) {
    for (const int operand : each.operands) gather_if_first(operand);
    if (!each.operands.empty() && std::ranges::all_of(each.operands, [&](int of) { return of_parameters_.contains(of); }))
      for (const int result : each.results) {
        of_parameters_.insert(result);
        maker_[result] = each;
      }
    compute(each);
  }

  void compute(GraphNodeRecord each) {
    if (stretches_.empty() || stretches_.back().kind != Stretch::Kind::compute) stretches_.emplace_back();
    stretches_.back().nodes.push_back(std::move(each));
  }

  void gather_if_first(int whole) {
    const auto parameter = parameter_of_.find(whole);
    if (parameter == parameter_of_.end()) return;
    const std::string& bucket = sharded_[parameter->second].bucket;
    if (gathered_.insert(bucket).second) gather(bucket, buckets_[bucket]);
  }

  void gather(const std::string& name, const std::vector<std::size_t>& members) {
    Stretch start{.kind = Stretch::Kind::gather_start, .nodes = {}}, end{.kind = Stretch::Kind::gather_end, .nodes = {}};
    std::map<int, std::vector<std::size_t>> by_bytes;
    for (const std::size_t member : members) by_bytes[bytes_per_element(sharded_[member].shard)].push_back(member);
    for (const auto& [bytes, members_of_dtype] : by_bytes) {
      std::vector<int> pieces;
      std::int64_t length = 0;
      for (const std::size_t member : members_of_dtype) {
        pieces.push_back(sharded_[member].shard);
        length += elements_of(graph_, pieces.back());
      }
      const bool copies = members_of_dtype.size() > 1;
      const int sent = copies ? flat(length, bytes) : pieces.front();
      if (copies) start.nodes.push_back(node("aten::cat", pieces, {sent}));
      const int buffer = flat(length * ranks_, bytes), gathered = flat(length * ranks_, bytes, buffer);
      start.nodes.push_back(collective(kGather, sent, buffer, name));
      end.nodes.push_back(node(kWait, {buffer}, {gathered}));
      for (const std::size_t member : members_of_dtype) {
        const int whole = in_backward_ ? backward_value(sharded_[member].gathered) : sharded_[member].gathered;
        if (!copies) graph_.view_of[static_cast<std::size_t>(whole)] = gathered;
        // A copy out of the buffer reads as much as it writes.
        const int part = value(graph_.shapes[static_cast<std::size_t>(whole)], bytes, gathered);
        if (copies) end.nodes.push_back(node("aten::slice", {gathered}, {part}));
        end.nodes.push_back(copies ? node("aten::clone", {part}, {whole}) : node("aten::view", {gathered}, {whole}));
      }
    }
    stretches_.push_back(std::move(start));
    stretches_.push_back(std::move(end));
  }

  // The value that backward recomputes instead of reading this value of forward.
  int backward_value(int of) {
    const auto known = backward_value_of_.find(of);
    if (known != backward_value_of_.end()) return known->second;
    const auto at = static_cast<std::size_t>(of);
    const int made = value(graph_.shapes[at], graph_.element_bytes[at]);
    backward_value_of_[of] = made;
    return made;
  }

  // The operand of a backward node. Values that depend on parameters alone are gathered and computed again.
  int operand_in_backward(int of) {
    if (!mode_.gathers_again || !of_parameters_.contains(of)) return of;
    if (backward_value_of_.contains(of)) return backward_value_of_[of];
    if (parameter_of_.contains(of)) {
      gather_if_first(of);
      return backward_value(of);
    }
    GraphNodeRecord copy = maker_.at(of);
    for (int& operand : copy.operands) operand = operand_in_backward(operand);
    copy.backward = true;
    for (int& result : copy.results) {
      const int shown = graph_.view_of[static_cast<std::size_t>(result)];
      result = backward_value(result);
      if (shown != -1) graph_.view_of[static_cast<std::size_t>(result)] = copy.operands.front();
    }
    compute(std::move(copy));
    return backward_value_of_[of];
  }

  void add_backward(GraphNodeRecord each) {
    const std::vector<int> results = each.results;
    for (int& operand : each.operands) {
      const int before = std::exchange(operand, operand_in_backward(operand));
      for (const int result : results)
        if (int& shown = graph_.view_of[static_cast<std::size_t>(result)]; shown == before) shown = operand;
    }
    compute(std::move(each));
    for (const int result : results) {
      const auto gradient = of_gradient_.find(result);
      if (gradient == of_gradient_.end()) continue;
      const std::string& bucket = sharded_[gradient->second].bucket;
      if (++reduced_[bucket] == buckets_[bucket].size()) scatter(bucket, buckets_[bucket]);
    }
  }

  void scatter(const std::string& name, const std::vector<std::size_t>& members) {
    Stretch start{.kind = Stretch::Kind::scatter_start, .nodes = {}}, end{.kind = Stretch::Kind::scatter_end, .nodes = {}};
    std::vector<int> wholes;
    std::int64_t length = 0;
    const int bytes = bytes_per_element(sharded_[members.front()].gradient);
    for (const std::size_t member : members) {
      wholes.push_back(sharded_[member].gradient);
      length += elements_of(graph_, graph_.parameters[member]);
    }
    const bool copies = members.size() > 1;
    const int sent = copies ? flat(length * ranks_, bytes) : wholes.front();
    if (copies) start.nodes.push_back(node("aten::cat", wholes, {sent}));
    const int buffer = flat(length, bytes), reduced = flat(length, bytes, buffer);
    start.nodes.push_back(collective(kScatter, sent, buffer, name));
    end.nodes.push_back(node(kWait, {buffer}, {reduced}));
    for (const std::size_t member : members) {
      const int piece = flat(elements_of(graph_, graph_.parameters[member]), bytes, reduced);
      end.nodes.push_back(node("aten::slice", {reduced}, {piece}));
      graph_.gradients[member] = piece;
    }
    stretches_.push_back(std::move(start));
    stretches_.push_back(std::move(end));
  }

  // Starts each all-gather once the previous one has arrived, and waits for a reduce-scatter just before the next one starts.
  static void send_ahead(std::vector<Stretch>& half) {
    std::vector<Stretch> order, starts;
    for (Stretch& each : half)
      if (each.kind == Stretch::Kind::gather_start) starts.push_back(std::move(each));
    std::size_t sent = 0;
    std::vector<Stretch> pending;
    for (Stretch& each : half) {
      switch (each.kind) {
        case Stretch::Kind::gather_start:
          if (sent == 0) order.push_back(std::move(starts[sent++]));
          break;
        case Stretch::Kind::gather_end:
          order.push_back(std::move(each));
          if (sent < starts.size()) order.push_back(std::move(starts[sent++]));
          break;
        case Stretch::Kind::scatter_end: pending.push_back(std::move(each)); break;
        case Stretch::Kind::scatter_start:
          for (Stretch& before : pending) order.push_back(std::move(before));
          pending.clear();
          order.push_back(std::move(each));
          break;
        case Stretch::Kind::compute: order.push_back(std::move(each)); break;
      }
    }
    for (Stretch& last : pending) order.push_back(std::move(last));
    half = std::move(order);
  }

  void note_saved() {
    std::set<int> made(graph_.inputs.begin(), graph_.inputs.end()), read;
    made.insert(graph_.parameters.begin(), graph_.parameters.end());
    for (const GraphNodeRecord& each : graph_.nodes)
      (each.backward ? read : made)
          .insert(each.backward ? each.operands.begin() : each.results.begin(),
                  each.backward ? each.operands.end() : each.results.end());
    graph_.saved.clear();
    std::ranges::set_intersection(made, read, std::back_inserter(graph_.saved));
  }

  GraphRecord graph_;
  int ranks_;
  ShardedMode mode_;
  const std::vector<std::string>& names_;
  bool in_backward_ = false;
  std::vector<Sharded> sharded_;                             // by parameter
  std::map<std::string, std::vector<std::size_t>> buckets_;  // parameters by bucket
  std::set<int> casts_, of_parameters_;  // values of forward: casts of parameters; values that depend on parameters alone
  std::map<int, std::size_t> parameter_of_, of_gradient_;  // by gathered value and by whole gradient
  std::map<int, GraphNodeRecord> maker_;                   // nodes that compute values of of_parameters_
  std::map<int, int> backward_value_of_;                   // values of forward to those of backward
  std::set<std::string> gathered_;                         // buckets of this half
  std::map<std::string, std::size_t> reduced_;             // number of gradients computed so far, by bucket
  std::vector<Stretch> stretches_;                         // of this half
};

}  // namespace

GraphRecord sharded_step(const GraphRecord& whole, const std::vector<std::string>& parameters, int ranks,
                         const ShardedMode& mode) {
  return Sharding(whole, parameters, ranks, mode).made();
}

Result<std::vector<ShardedCost>> costs_of_modes(const GraphRecord& whole, const std::vector<std::string>& parameters, int ranks,
                                                const placing::Machine& machine) {
  std::vector<ShardedCost> costs;
  for (const bool again : {true, false}) {
    for (const auto& [by_block, ahead] : {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
      ShardedCost cost{.mode = {.by_block = by_block, .one_ahead = ahead, .gathers_again = again}};
      const GraphRecord step = sharded_step(whole, parameters, ranks, cost.mode);
      const auto timeline = timeline_of({step}, machine);
      if (!timeline) return timeline.error();
      cost.timeline = *timeline;
      cost.held_bytes = held_bytes_peak({step});
      for (const int parameter : step.parameters) cost.held_bytes += bytes_of(step, parameter);
      cost.gathers = std::ranges::count(step.nodes, std::string(kGather), &GraphNodeRecord::op);
      cost.scatters = std::ranges::count(step.nodes, std::string(kScatter), &GraphNodeRecord::op);
      costs.push_back(cost);
    }
  }
  return costs;
}

}  // namespace ordercheck::captured
