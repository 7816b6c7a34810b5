#include "graph/planner/placement_problem.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/planner/prefetch.h"

namespace ordercheck::placing {
namespace {

// Caches costs of moving values of one shape and dtype between placements.
class MoveCosts {
 public:
  explicit MoveCosts(const PlacementQuestion& question) : question_(question) {}

  Nanoseconds of(const JointValue& value, const Placements& from, const Placements& to) {
    const auto key = std::tuple(value.shape, value.element_bytes, from, to);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, move_cost(value, from, to, question_.mesh, question_.machine)).first->second;
  }

 private:
  const PlacementQuestion& question_;
  std::map<std::tuple<Shape, int, Placements, Placements>, Nanoseconds> known_;
};

// A list of placements without duplicates, and for each original entry its index there.
struct Numbered {
  std::vector<Placements> distinct;
  std::vector<std::size_t> of;
  void add(const Placements& each) {
    const auto found = std::ranges::find(distinct, each);
    of.push_back(static_cast<std::size_t>(found - distinct.begin()));
    if (found == distinct.end()) distinct.push_back(each);
  }
};

class ProblemOfPlacements {
 public:
  ProblemOfPlacements(const PlacementQuestion& question, const PlacementRules& rules)
      : question_(question), rules_(rules), moves_(question) {}

  ChoiceProblem made() {
    add_unknowns();
    add_flows();
    add_pairs();
    add_pins();
    add_replicas();
    add_memory();
    return std::move(choices_);
  }

 private:
  const std::vector<Strategy>& strategies(int node) const { return question_.strategies[node].choices; }

  void add_unknowns() {
    for (int node = 0; node < static_cast<int>(question_.graph.nodes.size()); ++node) {
      OpenChoice open{.name = name_of(question_.graph, node), .choices = {}, .costs = question_.run_costs[node]};
      for (const Strategy& each : strategies(node)) open.choices.push_back(name_of(each));
      choices_.unknowns.push_back(std::move(open));
    }
  }

  void add_flows() {
    const JointGraph& graph = question_.graph;
    const std::vector<int> made_by = producers(graph);
    const std::set<Edge> staying = edges_that_stay(graph), prefetched = prefetched_edges(graph);
    for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node)
      for (int at = 0; at < static_cast<int>(graph.nodes[node].operands.size()); ++at)
        add_flow(node, at, made_by[graph.nodes[node].operands[at]], staying.contains({node, at}),
                 prefetched.contains({node, at}));
  }

  void add_flow(int node, int operand, int producer, bool stays, bool is_ahead) {
    const JointGraph& graph = question_.graph;
    const int value = graph.nodes[node].operands[operand];
    const std::vector<int>& results = graph.nodes[producer].results;
    const auto place = static_cast<std::size_t>(std::ranges::find(results, value) - results.begin());
    Numbered from, to;
    for (const Strategy& each : strategies(producer)) from.add(each.results[place]);
    for (const Strategy& each : strategies(node)) to.add(each.operands[operand]);
    // Price each distinct pair of placements once, then expand to pairs of strategies.
    CostTable costs(from.distinct.size(), to.distinct.size());
    for (std::size_t row = 0; row < costs.rows; ++row) {
      for (std::size_t column = 0; column < costs.columns; ++column) {
        const Nanoseconds all = moves_.of(graph.values[value], from.distinct[row], to.distinct[column]);
        const Nanoseconds cost = is_ahead ? discounted(all, rules_.prefetched_percent) : all;
        // On an edge that must stay, any redistribution is forbidden.
        costs.at(row, column) = cost >= kForbidden || (stays && cost > 0) ? kForbidden : cost;
      }
    }
    CostTable table(from.of.size(), to.of.size());
    for (std::size_t row = 0; row < table.rows; ++row) {
      for (std::size_t column = 0; column < table.columns; ++column)
        table.at(row, column) = costs.at(from.of[row], to.of[column]);
    }
    choices_.add_pair(producer, node, table);
  }

  static const Placements& place(const Strategy& strategy) {
    return strategy.results.empty() ? strategy.operands.front() : strategy.results.front();
  }

  void add_pairs() {
    for (const auto& [one, other] : paired_nodes(question_.graph)) {
      CostTable table(strategies(one).size(), strategies(other).size());
      for (std::size_t row = 0; row < table.rows; ++row) {
        for (std::size_t column = 0; column < table.columns; ++column)
          table.at(row, column) = place(strategies(one)[row]) == place(strategies(other)[column]) ? 0 : kForbidden;
      }
      choices_.add_pair(one, other, table);
    }
  }

  void add_pins() {
    for (const Pin& pin : rules_.pins) {
      std::vector<Nanoseconds>& costs = choices_.unknowns[pin.node].costs;
      for (std::size_t choice = 0; choice < costs.size(); ++choice) {
        if (place(strategies(pin.node)[choice]) != pin.placements) costs[choice] = kForbidden;
      }
    }
  }

  void add_replicas() {
    if (rules_.replicated_on.empty()) return;
    for (const int node : free_parameters(question_.graph, question_.mesh, rules_).nodes) {
      std::vector<Nanoseconds>& costs = choices_.unknowns[node].costs;
      for (std::size_t choice = 0; choice < costs.size(); ++choice) {
        if (!may_hold(rules_, place(strategies(node)[choice]))) costs[choice] = kForbidden;
      }
    }
  }

  void add_memory() {
    if (!rules_.memory.low && !rules_.memory.high) return;
    const FreeParameters parameters = free_parameters(question_.graph, question_.mesh, rules_);
    if (parameters.nodes.empty()) return;
    const ShareBounds bounds = share_bounds(rules_.memory, parameters.least);
    WeightLimit limit{.name = "parameter memory", .low = bounds.low, .high = bounds.high, .weights = {}};
    for (const int node : parameters.nodes) {
      const Shape& shape = question_.graph.values[question_.graph.nodes[node].results[0]].shape;
      std::vector<std::int64_t>& weights = limit.weights[node];
      weights.resize(strategies(node).size(), 0);
      for (std::size_t choice = 0; choice < weights.size(); ++choice)
        weights[choice] += held_share(shape, strategies(node)[choice].results[0], question_.mesh);
    }
    choices_.limits.push_back(std::move(limit));
  }

  const PlacementQuestion& question_;
  const PlacementRules& rules_;
  MoveCosts moves_;
  ChoiceProblem choices_;
};

}  // namespace

ChoiceProblem placement_problem(const PlacementQuestion& question, const PlacementRules& rules) {
  return ProblemOfPlacements(question, rules).made();
}

}  // namespace ordercheck::placing
