#include "placing/plan/placement_problem.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "placing/plan/prefetch.h"

namespace ordercheck::placing {
namespace {

// Costs of moving values of one shape and dtype between placements, each worked out once.
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

// Equal placements of a list get equal numbers, so that a table is filled by number.
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
  ProblemOfPlacements(const PlacementQuestion& question, const PlacementRules& rules, const std::vector<int>& classes)
      : question_(question), rules_(rules), classes_(classes), moves_(question) {}

  PlacementProblem made() {
    add_unknowns();
    add_flows();
    add_pairs();
    add_pins();
    add_memory();
    return {.choices = std::move(choices_), .unknown_of = classes_};
  }

 private:
  const std::vector<Strategy>& strategies(int node) const { return question_.strategies[node].choices; }

  void add_unknowns() {
    for (int node = 0; node < static_cast<int>(classes_.size()); ++node) {
      if (classes_[node] == static_cast<int>(first_of_.size())) {
        first_of_.push_back(node);
        sizes_.push_back(0);
        OpenChoice open{.name = name_of(question_.graph, node), .choices = {}, .costs = {}};
        for (const Strategy& each : strategies(node)) open.choices.push_back(name_of(each));
        open.costs.assign(open.choices.size(), 0);
        choices_.unknowns.push_back(std::move(open));
      }
      ++sizes_[classes_[node]];
    }
    for (std::size_t unknown = 0; unknown < first_of_.size(); ++unknown) {
      for (std::size_t choice = 0; choice < choices_.unknowns[unknown].costs.size(); ++choice)
        choices_.unknowns[unknown].costs[choice] = question_.run_costs[first_of_[unknown]][choice] * sizes_[unknown];
    }
  }

  // Edges between the same classes at the same places cost the same: counted, and priced once.
  void add_flows() {
    const JointGraph& graph = question_.graph;
    const std::vector<int> made_by = producers(graph);
    const std::set<Edge> staying = edges_that_stay(graph), prefetched = prefetched_edges(graph);
    struct Flow {
      int value = 0, producer = 0, node = 0;
      std::size_t place = 0, operand = 0;
      bool stays = false, is_ahead = false;
      Nanoseconds count = 0;
    };
    std::map<std::tuple<int, int, std::size_t, std::size_t, bool, bool>, Flow> flows;
    for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
      for (std::size_t at = 0; at < graph.nodes[node].operands.size(); ++at) {
        const int value = graph.nodes[node].operands[at], producer = made_by[value];
        const std::vector<int>& results = graph.nodes[producer].results;
        const auto place = static_cast<std::size_t>(std::ranges::find(results, value) - results.begin());
        const bool stays = staying.contains({node, static_cast<int>(at)});
        const bool is_ahead = prefetched.contains({node, static_cast<int>(at)});
        Flow& flow = flows[{classes_[producer], classes_[node], place, at, stays, is_ahead}];
        flow = {.value = value,
                .producer = producer,
                .node = node,
                .place = place,
                .operand = at,
                .stays = stays,
                .is_ahead = is_ahead,
                .count = flow.count + 1};
      }
    }
    for (const auto& [key, flow] : flows) {
      Numbered from, to;
      for (const Strategy& each : strategies(flow.producer)) from.add(each.results[flow.place]);
      for (const Strategy& each : strategies(flow.node)) to.add(each.operands[flow.operand]);
      CostTable costs(from.distinct.size(), to.distinct.size());
      for (std::size_t row = 0; row < costs.rows; ++row) {
        for (std::size_t column = 0; column < costs.columns; ++column) {
          const Nanoseconds all = moves_.of(graph.values[flow.value], from.distinct[row], to.distinct[column]);
          const Nanoseconds cost = flow.is_ahead ? discounted(all, rules_.prefetched_percent) : all;
          costs.at(row, column) = cost >= kForbidden || (flow.stays && cost > 0) ? kForbidden : cost * flow.count;
        }
      }
      CostTable table(from.of.size(), to.of.size());
      for (std::size_t row = 0; row < table.rows; ++row) {
        for (std::size_t column = 0; column < table.columns; ++column)
          table.at(row, column) = costs.at(from.of[row], to.of[column]);
      }
      choices_.add_pair(classes_[flow.producer], classes_[flow.node], table);
    }
  }

  static const Placements& place(const Strategy& strategy) {
    return strategy.results.empty() ? strategy.operands.front() : strategy.results.front();
  }

  void add_pairs() {
    std::set<std::pair<int, int>> done;
    for (const auto& [one, other] : paired_nodes(question_.graph)) {
      if (!done.emplace(classes_[one], classes_[other]).second) continue;
      CostTable table(strategies(one).size(), strategies(other).size());
      for (std::size_t row = 0; row < table.rows; ++row) {
        for (std::size_t column = 0; column < table.columns; ++column)
          table.at(row, column) = place(strategies(one)[row]) == place(strategies(other)[column]) ? 0 : kForbidden;
      }
      choices_.add_pair(classes_[one], classes_[other], table);
    }
  }

  void add_pins() {
    for (const Pin& pin : rules_.pins) {
      std::vector<Nanoseconds>& costs = choices_.unknowns[classes_[pin.node]].costs;
      for (std::size_t choice = 0; choice < costs.size(); ++choice) {
        if (place(strategies(pin.node)[choice]) != pin.placements) costs[choice] = kForbidden;
      }
    }
  }

  void add_memory() {
    if (!rules_.memory.low && !rules_.memory.high) return;
    const FreeParameters parameters = free_parameters(question_.graph, question_.mesh, rules_.pins);
    if (parameters.nodes.empty()) return;
    const ShareBounds bounds = share_bounds(rules_.memory, parameters.least);
    WeightLimit limit{.name = "parameter memory", .low = bounds.low, .high = bounds.high, .weights = {}};
    for (const int node : parameters.nodes) {
      const Shape& shape = question_.graph.values[question_.graph.nodes[node].results[0]].shape;
      std::vector<std::int64_t>& weights = limit.weights[classes_[node]];
      weights.resize(strategies(node).size(), 0);
      for (std::size_t choice = 0; choice < weights.size(); ++choice)
        weights[choice] += held_share(shape, strategies(node)[choice].results[0], question_.mesh);
    }
    choices_.limits.push_back(std::move(limit));
  }

  const PlacementQuestion& question_;
  const PlacementRules& rules_;
  const std::vector<int>& classes_;
  MoveCosts moves_;
  ChoiceProblem choices_;
  std::vector<int> first_of_, sizes_;
};

}  // namespace

PlacementProblem placement_problem(const PlacementQuestion& question, const PlacementRules& rules,
                                   const std::vector<int>& classes) {
  return ProblemOfPlacements(question, rules, classes).made();
}

}  // namespace ordercheck::placing
