#include "native/graph/passes.h"

#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace ordercheck::ranks {
namespace {

// Removes nodes whose results are not in `used`, from the end to the start, and adds the operands of kept nodes to `used`.
void sweep(std::vector<Node>& nodes, std::set<ValueId>& used) {
  std::vector<Node> kept;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const std::vector<ValueId> made = results(*node);
    const bool wanted = std::any_of(made.begin(), made.end(), [&](ValueId id) { return used.count(id) > 0; });
    if (!wanted && !has_effect(*node)) continue;
    for (const ValueId id : operands(*node)) used.insert(id);
    kept.push_back(std::move(*node));
  }
  nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

// Compares two constants; doubles by bits, because 0 and -0 are equal but compute differently.
bool same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isDouble() && b.isDouble())
    return std::bit_cast<std::int64_t>(a.toDouble()) == std::bit_cast<std::int64_t>(b.toDouble());
  return a == b;
}

bool same(const Argument& a, const Argument& b) {
  return a.form == b.form && a.values == b.values && (a.form != Argument::Form::constant || same(a.constant, b.constant));
}

// True if two nodes may be merged. A recomputed node and its original may not, unless the original's result is saved anyway.
bool same(const Node& a, const Node& b) {
  const bool kept = b.unshards && b.policy == CheckpointPolicy::must_save;
  return a.op == b.op && (a.recomputed == b.recomputed || kept) &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const Argument& x, const Argument& y) { return same(x, y); });
}

class Renaming {
 public:
  void replace(ValueId from, ValueId to) { to_[from] = to; }
  void apply(ValueId& id) const {
    const auto found = to_.find(id);
    if (found != to_.end()) id = found->second;
  }
  void apply(Node& node) const {
    for (Argument& argument : node.arguments) {
      for (ValueId& id : argument.values) apply(id);
    }
  }

 private:
  std::unordered_map<ValueId, ValueId> to_;
};

// Merges equal nodes of `nodes`. `seen` holds, by operator name, the nodes before them; `renaming` maps a removed node's
// results to those of the kept one.
void merge(std::vector<Node>& nodes, std::multimap<std::string, Node>& seen, Renaming& renaming) {
  std::vector<Node> kept;
  for (Node& node : nodes) {
    renaming.apply(node);
    const bool alone = (has_effect(node) && !node.unshards) || draws(node);
    const auto [first, last] = seen.equal_range(node.name());
    const auto twin = alone ? last : std::find_if(first, last, [&](const auto& entry) { return same(entry.second, node); });
    if (twin != last) {
      const auto from = results(node), to = results(twin->second);
      for (std::size_t i = 0; i < from.size(); ++i) renaming.replace(from[i], to[i]);
      continue;
    }
    if (!alone) seen.emplace(node.name(), node);
    kept.push_back(std::move(node));
  }
  nodes = std::move(kept);
}

}  // namespace

void remove_dead_nodes(Graph& graph) {
  std::set<ValueId> used(graph.gradients.begin(), graph.gradients.end());
  // Sweep backward first: it determines which forward results are used.
  sweep(graph.backward, used);
  used.insert(graph.output);
  sweep(graph.forward, used);
}

void merge_equal_nodes(Graph& graph) {
  std::multimap<std::string, Node> seen;
  Renaming renaming;
  merge(graph.forward, seen, renaming);
  renaming.apply(graph.output);
  merge(graph.backward, seen, renaming);
  for (ValueId& id : graph.gradients) renaming.apply(id);
}

}  // namespace ordercheck::ranks
