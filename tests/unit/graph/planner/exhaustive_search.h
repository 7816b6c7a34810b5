// The least objective of placing a graph, by trying all strategies of all nodes: an oracle that shares no code with the program.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/planner/placement_planner.h"

namespace ordercheck::placing {

class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const PlacementPlanner& planner)
      : planner_(planner), made_by_(producers(planner.graph())), chosen_(planner.graph().nodes.size()) {}

  // Nothing where the rules leave no plan.
  std::optional<Nanoseconds> least() {
    visit(0, 0);
    return best_;
  }

 private:
  const JointGraph& graph() const { return planner_.graph(); }

  static const Placements& place(const Strategy& strategy) {
    return strategy.results.empty() ? strategy.operands[0] : strategy.results[0];
  }

  void visit(std::size_t node, Nanoseconds cost) {
    if (best_ && cost >= *best_) return;
    if (node == graph().nodes.size()) {
      if (keeps_memory()) best_ = cost;
      return;
    }
    for (const Strategy& strategy : planner_.strategies()[node].choices) {
      chosen_[node] = &strategy;
      if (!keeps_rules(static_cast<int>(node))) continue;
      const std::optional<Nanoseconds> own = cost_of(static_cast<int>(node));
      if (own) visit(node + 1, cost + *own);
    }
  }

  std::optional<Nanoseconds> cost_of(int node) const {
    Nanoseconds sum = run_cost(graph(), node, *chosen_[node], planner_.mesh(), planner_.machine()).value();
    const std::vector<int>& operands = graph().nodes[node].operands;
    for (std::size_t at = 0; at < operands.size(); ++at) {
      const int producer = made_by_[operands[at]];
      const std::vector<int>& results = graph().nodes[producer].results;
      const auto result = std::find(results.begin(), results.end(), operands[at]) - results.begin();
      const Nanoseconds move = move_cost(graph().values[operands[at]], chosen_[producer]->results[result],
                                         chosen_[node]->operands[at], planner_.mesh(), planner_.machine());
      if (move >= kForbidden) return std::nullopt;
      sum += is_prefetched(node, producer) && move > 0
                 ? kPreferredStay + (move - kPreferredStay) * planner_.rules().prefetched_percent / 100
                 : move;
    }
    return sum;
  }

  bool is_prefetched(int consumer, int producer) const {
    return comes_from_parameters(producer) || ends_in_gradients(consumer);
  }

  bool comes_from_parameters(int node) const {
    const JointNode& each = graph().nodes[node];
    if (each.operands.empty()) return each.role == Role::parameter;
    return std::ranges::all_of(each.operands, [&](int value) { return comes_from_parameters(made_by_[value]); });
  }

  bool ends_in_gradients(int node) const {
    if (graph().nodes[node].op == "output") return graph().nodes[node].role != Role::output;
    const std::vector<int> taken_by = users(graph())[node];
    return !taken_by.empty() && std::ranges::all_of(taken_by, [&](int user) { return ends_in_gradients(user); });
  }

  bool keeps_rules(int node) const {
    for (const Pin& pin : planner_.rules().pins) {
      if (pin.node == node && place(*chosen_[node]) != pin.placements) return false;
    }
    for (const auto& [one, other] : paired_nodes(graph())) {
      if (std::max(one, other) == node && place(*chosen_[one]) != place(*chosen_[other])) return false;
    }
    return true;
  }

  bool keeps_memory() const {
    const MemoryBound& bound = planner_.rules().memory;
    if (!bound.low && !bound.high) return true;
    double low = 0, high = 0, held = 0;
    for (std::size_t node = 0; node < graph().nodes.size(); ++node) {
      if (graph().nodes[node].role != Role::parameter) continue;
      const bool pinned =
          std::ranges::any_of(planner_.rules().pins, [&](const Pin& pin) { return pin.node == static_cast<int>(node); });
      if (pinned) continue;
      const Shape& shape = graph().values[graph().nodes[node].results[0]].shape;
      const auto share = [&](const Strategy& strategy) {
        return static_cast<double>(element_count(local_shape(shape, strategy.results[0], planner_.mesh()))) /
               static_cast<double>(element_count(shape));
      };
      double best = 1;
      for (const Strategy& each : planner_.strategies()[node].choices) best = std::min(best, share(each));
      low += std::max(best, bound.low.value_or(0));
      high += std::max(best, bound.high.value_or(1));
      held += share(*chosen_[node]);
    }
    constexpr double kRounding = 1e-5;
    return (!bound.low || held >= low - kRounding) && held <= high + kRounding;
  }

  const PlacementPlanner& planner_;
  std::vector<int> made_by_;
  std::vector<const Strategy*> chosen_;
  std::optional<Nanoseconds> best_;
};

}  // namespace ordercheck::placing
