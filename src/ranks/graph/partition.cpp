#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include "ranks/graph/passes.h"

namespace ordercheck::ranks {
namespace {

using Capacity = std::int64_t;
// More than all values together; low enough that sums of it stay within 64 bits.
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

// Costly, random, or waited for by others: run once. A tag goes before.
bool runs_once(const Graph& graph, const Node& node) {
  if (node.policy != CheckpointPolicy::by_cost) return node.policy == CheckpointPolicy::must_save;
  constexpr std::array kOnce{"aten::mm",      "aten::bmm",          "aten::addmm",
                             "aten::baddbmm", "aten::index_select", "aten::gather",
                             "aten::index",   "aten::embedding",    "aten::scatter",
                             "aten::sort",    "aten::topk",         "aten::_scaled_dot_product_flash_attention_for_cpu"};
  if (has_effect(node) || draws(node)) return true;
  if (std::find(kOnce.begin(), kOnce.end(), node.name()) != kOnce.end()) return true;
  // A reduction: its result is small, what it reads is not.
  std::int64_t in = 0, out = 0;
  for (const ValueId id : operands(node)) in = std::max(in, graph.values[id].bytes);
  for (const ValueId id : results(node)) out = std::max(out, graph.values[id].bytes);
  return !graph.values[results(node).front()].is_view && out * 4 < in;
}

// What to save for backward, as AOTAutograd's min-cut partitioner decides it. Each forward value is an edge from in(value) to
// out(value) that costs its bytes; the source stands for what is there without being computed again, the sink for what
// backward reads. Cutting a value's edge saves it, and a cheapest cut is the fewest bytes with which backward can compute
// the rest. All other edges are unbounded, so that no cut runs through them:
//
//   operand to result          a value on the sink's side is computed again, from operands that must be had as well
//   source to what runs once   it is never on the sink's side: it is saved, or something made from it is
//   value to sink              backward reads it
//
// The edge of a value that must be computed again is unbounded, too: what is cut lies before it. What a node makes of a parameter
// that is gathered again is made once: else a rank would gather when it computes that again, which the sizes of its own tensors
// decide, and ranks would gather in different orders.
class Cut {
 public:
  explicit Cut(const Graph& graph) : graph_(graph), network_(2 * graph.values.size() + 2) {
    for (const ValueId id : graph.inputs) provide(id, graph.values[id].bytes);
    // Parameters and constants live on anyway: keeping them costs nothing.
    for (const ValueId id : graph.parameters) provide(id, 0);
    for (const auto& [id, tensor] : graph.constants) provide(id, 0);
    for (const Node& node : graph.forward) {
      const bool once = !results(node).empty() && (runs_once(graph, node) || makes_of_gathered(node));
      for (const ValueId id : results(node)) {
        // Whoever keeps a view keeps what it views; a collective's buffer is handed on by its wait.
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

  // The values on the border between what is computed once and what is computed again.
  std::set<ValueId> solve() {
    boost::boykov_kolmogorov_max_flow(network_, source(), sink());
    const auto color = boost::get(boost::vertex_color, network_);
    // Boost leaves the source's side black.
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
  // Forward's nodes are asked in their order. A view of what is gathered again is as good as that.
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

// Writes a new backward in which what was not saved is computed where it is first read.
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
  // The value under which backward finds what forward calls `id`: itself where it was saved, else a copy that is computed at
  // the first read and no earlier, so that it takes memory from then on only.
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
