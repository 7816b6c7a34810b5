#include <algorithm>

#include <fmt/format.h>

#include "graph/planner/placement_plan.h"
#include "graph/planner/prefetch.h"

namespace ordercheck::placing {
namespace {

class Verification {
 public:
  Verification(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine, const PlacementRules& rules,
               const PlacementPlan& plan)
      : graph_(graph), mesh_(mesh), machine_(machine), rules_(rules), plan_(plan) {}

  Status verify() const {
    // Later checks rely on list sizes that earlier ones have checked.
    using Check = Status (Verification::*)() const;
    constexpr Check kChecks[] = {&Verification::check_strategies, &Verification::check_flow,   &Verification::check_moves,
                                 &Verification::check_ends,       &Verification::check_pairs,  &Verification::check_pins,
                                 &Verification::check_replicas,   &Verification::check_memory, &Verification::check_costs};
    if (plan_.nodes.size() != graph_.nodes.size())
      return Error{fmt::format("the plan places {} nodes of {}", plan_.nodes.size(), graph_.nodes.size())};
    for (const Check check : kChecks) {
      if (const Status held = (this->*check)(); !held) return held;
    }
    return Done{};
  }

 private:
  int count() const { return static_cast<int>(graph_.nodes.size()); }

  Status check_strategies() const {
    for (int node = 0; node < count(); ++node) {
      const NodePlan& planned = plan_.nodes[node];
      const Strategy chosen{.operands = planned.operands, .results = planned.results};
      const NodeStrategies known = strategies_of(graph_, node, mesh_);
      if (std::ranges::find(known.choices, chosen) == known.choices.end())
        return Error{fmt::format("{} cannot run as {}", name_of(graph_, node), name_of(chosen))};
    }
    return Done{};
  }

  Status check_flow() const {
    const std::vector<int> made_by = producers(graph_);
    for (int node = 0; node < count(); ++node) {
      const std::vector<int>& operands = graph_.nodes[node].operands;
      if (plan_.nodes[node].sources.size() != operands.size())
        return Error{fmt::format("{} takes {} values, the plan names the sources of {}", name_of(graph_, node), operands.size(),
                                 plan_.nodes[node].sources.size())};
      for (std::size_t at = 0; at < operands.size(); ++at) {
        const int producer = made_by[operands[at]];
        const auto& results = graph_.nodes[producer].results;
        const auto place = std::ranges::find(results, operands[at]) - results.begin();
        if (plan_.nodes[producer].results[place] != plan_.nodes[node].sources[at])
          return Error{fmt::format("operand {} of {} is said to come as {}, but {} leaves it as {}", at, name_of(graph_, node),
                                   name_of(plan_.nodes[node].sources[at]), name_of(graph_, producer),
                                   name_of(plan_.nodes[producer].results[place]))};
      }
    }
    return Done{};
  }

  Status check_moves() const {
    const std::set<Edge> staying = edges_that_stay(graph_);
    for (int node = 0; node < count(); ++node) {
      for (std::size_t at = 0; at < graph_.nodes[node].operands.size(); ++at) {
        const Placements &from = plan_.nodes[node].sources[at], &to = plan_.nodes[node].operands[at];
        if (!route(from, to).possible)
          return Error{
              fmt::format("operand {} of {} cannot go from {} to {}", at, name_of(graph_, node), name_of(from), name_of(to))};
        if (from != to && staying.contains({node, static_cast<int>(at)}))
          return Error{fmt::format("operand {} of {} goes from {} to {} on the wrong side of a cast", at, name_of(graph_, node),
                                   name_of(from), name_of(to))};
      }
    }
    return Done{};
  }

  Status check_ends() const {
    for (int node = 0; node < count(); ++node) {
      const std::string& op = graph_.nodes[node].op;
      if ((op == "placeholder" || op == "output") && has_partial(place_of(plan_.nodes[node])))
        return Error{fmt::format("{} is a partial sum: {}", name_of(graph_, node), name_of(place_of(plan_.nodes[node])))};
    }
    return Done{};
  }

  Status check_pairs() const {
    for (const auto& [one, other] : paired_nodes(graph_)) {
      if (place_of(plan_.nodes[one]) != place_of(plan_.nodes[other]))
        return Error{fmt::format("{} is {} and {} is {}: expected the same", name_of(graph_, one),
                                 name_of(place_of(plan_.nodes[one])), name_of(graph_, other),
                                 name_of(place_of(plan_.nodes[other])))};
    }
    return Done{};
  }

  Status check_pins() const {
    for (const Pin& pin : rules_.pins) {
      if (place_of(plan_.nodes[pin.node]) != pin.placements)
        return Error{fmt::format("{}: expected {}, the plan has {}", pin.name, name_of(pin.placements),
                                 name_of(place_of(plan_.nodes[pin.node])))};
    }
    return Done{};
  }

  Status check_replicas() const {
    for (const int node : free_parameters(graph_, mesh_, rules_).nodes) {
      if (!may_hold(rules_, place_of(plan_.nodes[node])))
        return Error{fmt::format("{} is {}; expected it whole on every axis of replicas", name_of(graph_, node),
                                 name_of(place_of(plan_.nodes[node])))};
    }
    return Done{};
  }

  Status check_memory() const {
    const FreeParameters parameters = free_parameters(graph_, mesh_, rules_);
    const ShareBounds bounds = share_bounds(rules_.memory, parameters.least);
    std::int64_t held = 0;
    for (const int node : parameters.nodes)
      held += held_share(graph_.values[graph_.nodes[node].results[0]].shape, place_of(plan_.nodes[node]), mesh_);
    const auto in_whole = [](std::int64_t share) { return static_cast<double>(share) / static_cast<double>(kWhole); };
    if (held < bounds.low || held > bounds.high)
      return Error{fmt::format("a rank holds {} of {} parameters, summed as ratios; expected {} to {}", in_whole(held),
                               parameters.nodes.size(), in_whole(bounds.low), in_whole(bounds.high))};
    return Done{};
  }

  Status check_costs() const {
    const std::set<Edge> prefetched = prefetched_edges(graph_);
    Nanoseconds run = 0, moved = 0, counted = 0;
    for (int node = 0; node < count(); ++node) {
      const NodePlan& planned = plan_.nodes[node];
      const auto cost =
          placing::run_cost(graph_, node, {.operands = planned.operands, .results = planned.results}, mesh_, machine_);
      if (!cost) return cost.error();
      run += *cost;
      for (std::size_t at = 0; at < planned.operands.size(); ++at) {
        const Nanoseconds move = placing::move_cost(graph_.values[graph_.nodes[node].operands[at]], planned.sources[at],
                                                    planned.operands[at], mesh_, machine_);
        const bool is_ahead = prefetched.contains({node, static_cast<int>(at)});
        moved += move;
        counted += is_ahead ? discounted(move, rules_.prefetched_percent) : move;
      }
    }
    if (run != plan_.run_cost || moved != plan_.move_cost)
      return Error{fmt::format("the plan says that operators take {} ns and redistributions {} ns; they take {} and {}",
                               plan_.run_cost, plan_.move_cost, run, moved)};
    if (run + counted != plan_.objective)
      return Error{
          fmt::format("the plan states an objective of {} ns, recomputed it is {} ns", plan_.objective, run + counted)};
    return Done{};
  }

  const JointGraph& graph_;
  const DeviceMesh& mesh_;
  const Machine& machine_;
  const PlacementRules& rules_;
  const PlacementPlan& plan_;
};

}  // namespace

const Placements& place_of(const NodePlan& node) { return node.results.empty() ? node.operands.front() : node.results.front(); }

FreeParameters free_parameters(const JointGraph& graph, const DeviceMesh& mesh, const PlacementRules& rules) {
  FreeParameters found;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const bool is_pinned = std::ranges::any_of(rules.pins, [&](const Pin& pin) { return pin.node == node; });
    if (graph.nodes[node].role != Role::parameter || is_pinned) continue;
    std::int64_t least = kWhole;
    for (const Strategy& each : strategies_of(graph, node, mesh).choices)
      if (may_hold(rules, each.results[0]))
        least = std::min(least, held_share(graph.values[graph.nodes[node].results[0]].shape, each.results[0], mesh));
    found.nodes.push_back(node);
    found.least.push_back(least);
  }
  return found;
}

Status verify_plan(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine, const PlacementRules& rules,
                   const PlacementPlan& plan) {
  return Verification(graph, mesh, machine, rules, plan).verify();
}

}  // namespace ordercheck::placing
