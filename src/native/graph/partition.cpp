#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include "native/graph/passes.h"

namespace ordercheck::ranks {
namespace {

using Capacity = std::int64_t;
// The capacity of an edge that must not be cut. More than the bytes of all values together; low enough that sums of it fit in
// 64 bits.
constexpr Capacity kUnbounded = Capacity{1} << 50;

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_distance_t, long, boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>,
    boost::property<boost::edge_capacity_t, Capacity,
                    boost::property<boost::edge_residual_capacity_t, Capacity,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

void connect(Network& network, std::size_t from, std::size_t to, Capacity capacity) {
  const auto there = boost::add_edge(from, to, network).first;
  const auto back = boost::add_edge(to, from, network).first;
  boost::put(boost::edge_capacity, network, there, capacity);
  boost::put(boost::edge_capacity, network, back, 0);
  boost::put(boost::edge_reverse, network, there, back);
  boost::put(boost::edge_reverse, network, back, there);
}

// True if backward must not recompute the node: it is expensive, draws random numbers, or is a collective, which other ranks
// wait for. A policy tag has priority.
bool runs_once(const Graph& graph, const Node& node) {
  if (node.policy != CheckpointPolicy::by_cost) return node.policy == CheckpointPolicy::must_save;
  constexpr std::array kOnce{"aten::mm",      "aten::bmm",          "aten::addmm",
                             "aten::baddbmm", "aten::index_select", "aten::gather",
                             "aten::index",   "aten::embedding",    "aten::scatter",
                             "aten::sort",    "aten::topk",         "aten::_scaled_dot_product_flash_attention_for_cpu"};
  if (has_effect(node) || draws(node)) return true;
  if (std::find(kOnce.begin(), kOnce.end(), node.name()) != kOnce.end()) return true;
  // A reduction: its result is much smaller than its operand.
  std::int64_t in = 0, out = 0;
  for (const ValueId id : operands(node)) in = std::max(in, graph.values[id].bytes);
  for (const ValueId id : results(node)) out = std::max(out, graph.values[id].bytes);
  return !graph.values[results(node).front()].is_view && out * 4 < in;
}

// Decides what to save for backward, as AOTAutograd's min-cut partitioner. Each forward value is an edge from in(value) to
// out(value) that costs its bytes. The source provides values that need no recomputation; the sink is what backward reads.
// Cutting an edge saves the value. A minimum cut is the fewest bytes from which backward can compute the rest. All other edges
// are unbounded, so that no cut contains them:
//
//   operand to result          a value on the sink's side is recomputed from operands that must be available too
//   source to a once-only node its result is never on the sink's side: it is saved, or a value made from it
//   value to sink              backward reads it
//
// The edge of a value that must be recomputed is unbounded too, so the cut lies before it. Nodes that compute on a re-gathered
// parameter run once. Otherwise a rank would gather when it recomputes them, which depends on its own tensor sizes, and ranks
// would gather in different orders.
class Cut {
 public:
  explicit Cut(const Graph& graph) : graph_(graph), network_(2 * graph.values.size() + 2) {
    for (const ValueId id : graph.inputs) provide(id, graph.values[id].bytes);
    // Parameters and constants stay alive anyway: keeping them is free.
    for (const ValueId id : graph.parameters) provide(id, 0);
    for (const auto& [id, tensor] : graph.constants) provide(id, 0);
    for (const Node& node : graph.forward) {
      const bool once = !results(node).empty() && (runs_once(graph, node) || makes_of_gathered(node));
      for (const ValueId id : results(node)) {
        // Saving a view keeps its base; a collective's buffer passes to its wait.
        const bool kept_by_another = graph.values[id].is_view || hands_on(node);
        const bool never_kept = kept_by_another || node.policy == CheckpointPolicy::must_recompute;
        connect(network_, in(id), out(id), never_kept ? kUnbounded : graph.values[id].bytes);
        if (once) connect(network_, source(), in(id), kUnbounded);
        for (const ValueId operand : operands(node)) connect(network_, out(operand), in(id), kUnbounded);
        maker_[id] = &node;
      }
    }
  }

  void need(ValueId id) { connect(network_, out(id), sink(), kUnbounded); }

  // Returns the values to save for backward: those whose edges the minimum cut contains.
  std::set<ValueId> solve() {
    boost::boykov_kolmogorov_max_flow(network_, source(), sink());
    const auto color = boost::get(boost::vertex_color, network_);
    // Boost colors the source's side black.
    const auto reached = [&](std::size_t vertex) { return boost::get(color, vertex) == boost::black_color; };
    std::set<ValueId> border;
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
      if (reached(in(id)) && !reached(out(id))) border.insert(id);
    }
    return border;
  }

  bool is_forward_value(ValueId id) const { return provided_.count(id) > 0 || maker_.count(id) > 0; }
  const Node* maker(ValueId id) const { return maker_.count(id) ? maker_.at(id) : nullptr; }

 private:
  // True if the node computes on a parameter that backward gathers again. A view of such a parameter counts as the parameter.
  // Call once per forward node, in order.
  bool makes_of_gathered(const Node& node) {
    const auto is_gathered = [this](ValueId id) { return gathered_again_.count(id) > 0; };
    const bool gathers = node.unshards && node.policy == CheckpointPolicy::must_recompute;
    const bool reads = std::ranges::any_of(operands(node), is_gathered);
    if (!gathers && !reads) return false;
    const auto made = results(node);
    const bool only_shows = std::ranges::all_of(made, [this](ValueId id) { return graph_.values[id].is_view; });
    if (!gathers && !only_shows) return true;
    gathered_again_.insert(made.begin(), made.end());
    return false;
  }

  std::size_t source() const { return 2 * graph_.values.size(); }
  std::size_t sink() const { return source() + 1; }
  static std::size_t in(ValueId id) { return 2 * static_cast<std::size_t>(id); }
  static std::size_t out(ValueId id) { return in(id) + 1; }
  static bool hands_on(const Node& node) { return is_collective(node) && node.name() != "_c10d_functional::wait_tensor"; }
  void provide(ValueId id, Capacity bytes) {
    connect(network_, source(), in(id), kUnbounded);
    connect(network_, in(id), out(id), bytes);
    provided_.insert(id);
  }

  const Graph& graph_;
  Network network_;
  std::set<ValueId> provided_;
  std::set<ValueId> gathered_again_;
  std::unordered_map<ValueId, const Node*> maker_;
};

// Rewrites backward: a forward value that is not saved is recomputed right before the node that reads it first.
class Rematerialization {
 public:
  Rematerialization(Graph& graph, const Cut& cut, const std::set<ValueId>& border)
      : graph_(graph), cut_(cut), border_(border) {}

  void run() {
    std::vector<Node> old = std::move(graph_.backward);
    graph_.backward.clear();
    for (Node& node : old) {
      for (Argument& argument : node.arguments) {
        for (ValueId& id : argument.values) id = available(id);
      }
      graph_.backward.push_back(std::move(node));
    }
    for (ValueId& id : graph_.gradients) id = available(id);
    graph_.saved.assign(saved_.begin(), saved_.end());
  }

 private:
  // Returns the value that backward reads for forward's `id`: itself if saved, else a copy that is recomputed at the first read
  // and not earlier, to save memory.
  ValueId available(ValueId id) {
    if (id == kNoValue || !cut_.is_forward_value(id) || is_constant(id)) return id;
    if (const auto copy = copies_.find(id); copy != copies_.end()) return copy->second;
    const Node* maker = cut_.maker(id);
    if (border_.count(id) || !maker) {
      saved_.insert(id);
      return id;
    }
    Node again = *maker;
    again.recomputed = true;
    for (Argument& argument : again.arguments) {
      for (ValueId& operand : argument.values) operand = available(operand);
    }
    for (NodeResult& result : again.results) {
      for (ValueId& made : result.values) {
        if (made == kNoValue) continue;
        const auto copy = static_cast<ValueId>(graph_.values.size());
        graph_.values.push_back(ValueInfo(graph_.values[made]));
        copies_[made] = copy;
        made = copy;
      }
    }
    graph_.backward.push_back(std::move(again));
    return copies_.at(id);
  }

  bool is_constant(ValueId id) const {
    return std::any_of(graph_.constants.begin(), graph_.constants.end(), [id](const auto& c) { return c.first == id; });
  }

  Graph& graph_;
  const Cut& cut_;
  const std::set<ValueId>& border_;
  std::set<ValueId> saved_;
  std::unordered_map<ValueId, ValueId> copies_;
};

}  // namespace

void partition(Graph& graph) {
  Cut cut(graph);
  std::set<ValueId> needed;
  for (const Node& node : graph.backward) {
    for (const ValueId id : operands(node)) needed.insert(id);
  }
  needed.insert(graph.gradients.begin(), graph.gradients.end());
  for (const ValueId id : needed) {
    if (id != kNoValue && cut.is_forward_value(id)) cut.need(id);
  }
  const std::set<ValueId> border = cut.solve();
  Rematerialization(graph, cut, border).run();
}

}  // namespace ordercheck::ranks
