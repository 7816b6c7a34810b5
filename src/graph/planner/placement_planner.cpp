#include "graph/planner/placement_planner.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "graph/planner/placement_problem.h"
#include "graph/planner/prefetch.h"
#include "graph/planner/repeated_blocks.h"

namespace ordercheck::placing {
namespace {

std::vector<std::string> names_of_rules(const PlacementRules& rules) {
  std::vector<std::string> names;
  for (const Pin& pin : rules.pins) names.push_back(pin.name);
  if (rules.memory.low) names.emplace_back(kMemoryLow);
  if (rules.memory.high) names.emplace_back(kMemoryHigh);
  return names;
}

// The shape of a node's first result, or of an output's operand.
const Shape& shape_of(const JointGraph& graph, int node) {
  const JointNode& of = graph.nodes[node];
  return graph.values[of.results.empty() ? of.operands.front() : of.results.front()].shape;
}

std::string axes_in_words(const DeviceMesh& mesh) {
  std::vector<std::string> axes;
  for (const auto& axis : mesh) axes.push_back(fmt::format("{}={}", axis.name, axis.size));
  return fmt::format("({})", join(axes, ", "));
}

void remove_rule(PlacementRules& rules, const std::string& name) {
  std::erase_if(rules.pins, [&](const Pin& pin) { return pin.name == name; });
  if (name == kMemoryLow) rules.memory.low.reset();
  if (name == kMemoryHigh) rules.memory.high.reset();
}

const Placements& place(const Strategy& strategy) {
  return strategy.results.empty() ? strategy.operands.front() : strategy.results.front();
}

}  // namespace

Result<PlacementPlanner> PlacementPlanner::make(const JointGraph& graph, const DeviceMesh& mesh, const Machine& machine) {
  if (const Status sound = check_graph(graph); !sound) return sound.error();
  if (const Status sound = check_machine(machine, mesh); !sound) return sound.error();
  PlacementPlanner planner;
  planner.graph_ = with_aliases(graph);
  planner.mesh_ = mesh;
  planner.machine_ = machine;
  for (int node = 0; node < static_cast<int>(planner.graph_.nodes.size()); ++node) {
    planner.strategies_.push_back(strategies_of(planner.graph_, node, mesh));
    std::vector<Nanoseconds>& costs = planner.run_costs_.emplace_back();
    for (const Strategy& each : planner.strategies_.back().choices) {
      const auto cost = run_cost(planner.graph_, node, each, mesh, machine);
      if (!cost) return cost.error();
      costs.push_back(*cost);
    }
  }
  return planner;
}

Result<std::string> PlacementPlanner::pin(int node, const Placements& placements) {
  const std::string name = fmt::format("placement of {}", name_of(graph_, node));
  if (std::ranges::any_of(rules_.pins, [&](const Pin& pin) { return pin.node == node; }))
    return Error{fmt::format("{} is stated already; remove it first", name)};
  const std::vector<Strategy>& choices = strategies_[node].choices;
  if (!std::ranges::any_of(choices, [&](const Strategy& each) { return place(each) == placements; }))
    return Error{fmt::format("{}: a value of [{}] cannot be {} on {}", name, fmt::join(shape_of(graph_, node), ", "),
                             name_of(placements), axes_in_words(mesh_))};
  rules_.pins.push_back({.name = name, .node = node, .placements = placements});
  return name;
}

Status PlacementPlanner::pin_all(Role role, const std::vector<std::optional<Placements>>& placements) {
  const char* what = role == Role::input ? "inputs" : "outputs";
  int count = 0;
  while (find_node(graph_, role, count) >= 0) ++count;
  if (static_cast<int>(placements.size()) != count)
    return Error{fmt::format("expected placements for {} {}, got {}", count, what, placements.size())};
  Placements usual(mesh_.size(), replicate());
  if (!mesh_.empty() && mesh_.front().size > 1) usual.front() = shard(0);
  // If one pin fails, restore the rules, so that none is added.
  const PlacementRules before = rules_;
  for (int index = 0; index < count; ++index) {
    const auto pinned = pin(find_node(graph_, role, index), placements[index].value_or(usual));
    if (pinned) continue;
    rules_ = before;
    return pinned.error();
  }
  return Done{};
}

Status PlacementPlanner::pin_inputs(const std::vector<std::optional<Placements>>& placements) {
  return pin_all(Role::input, placements);
}
Status PlacementPlanner::pin_outputs(const std::vector<std::optional<Placements>>& placements) {
  return pin_all(Role::output, placements);
}

Status PlacementPlanner::bound_parameter_memory(double low, std::optional<double> high) {
  const double most = high.value_or(1.0 / static_cast<double>(rank_count(mesh_)));
  // Negated comparisons also reject NaN.
  if (!(low >= 0) || !(low <= most) || most > 1)
    return Error{
        fmt::format("the share of parameters that a rank holds: expected 0 <= low <= high <= 1, got {} and {}", low, most)};
  rules_.memory = {.low = low, .high = most};
  return Done{};
}

Status PlacementPlanner::count_prefetched(int percent) {
  if (percent < 0 || percent > 100)
    return Error{fmt::format("how much of a prefetched redistribution counts: expected 0 to 100 percent, got {}", percent)};
  rules_.prefetched_percent = percent;
  return Done{};
}

void PlacementPlanner::keep_choices_of(const PlacementPlanner& other) {
  if (other.strategies_.size() != strategies_.size()) return;
  for (std::size_t node = 0; node < strategies_.size(); ++node) {
    const std::vector<Strategy> choices = std::exchange(strategies_[node].choices, {});
    const std::vector<Nanoseconds> costs = std::exchange(run_costs_[node], {});
    for (std::size_t at = 0; at < choices.size(); ++at) {
      const std::vector<Strategy>& others = other.strategies_[node].choices;
      if (std::ranges::find(others, choices[at]) == others.end()) continue;
      strategies_[node].choices.push_back(choices[at]);
      run_costs_[node].push_back(costs[at]);
    }
  }
}

Status PlacementPlanner::remove(const std::vector<std::string>& names) {
  const std::vector<std::string> known = names_of_rules(rules_);
  // Check all names before removing any.
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) return Error{fmt::format("there is no rule '{}' to remove", name)};
  }
  for (const std::string& name : names) remove_rule(rules_, name);
  return Done{};
}

ChoiceProblem PlacementPlanner::problem_of(const PlacementRules& rules) const {
  return placement_problem(
      {.graph = graph_, .mesh = mesh_, .machine = machine_, .strategies = strategies_, .run_costs = run_costs_}, rules);
}

Result<PlacementPlan> PlacementPlanner::solve(const SolveOptions& options) const {
  const ChoiceProblem problem = problem_of(rules_);
  if (options.repeats_blocks) {
    const std::vector<int> leaders = leader_of_nodes(graph_);
    auto repeated = solve_choices(merge_unknowns(problem, leaders), options.solver, options.reduce);
    if (!repeated) return repeated.error();
    if (repeated->feasible) {
      for (std::size_t node = 0; node < leaders.size(); ++node) repeated->chosen[node] = repeated->chosen[leaders[node]];
      return read(*repeated);
    }
  }
  const auto solved = solve_choices(problem, options.solver, options.reduce);
  if (!solved) return solved.error();
  return solved->feasible ? read(*solved) : conflict(options);
}

Result<PlacementPlan> PlacementPlanner::read(const ChoiceSolution& solved) const {
  PlacementPlan plan;
  const std::vector<int> made_by = producers(graph_);
  const std::set<Edge> prefetched = prefetched_edges(graph_);
  std::set<std::string> replicated;
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
    const int choice = solved.chosen[node];
    const Strategy& strategy = strategies_[node].choices[choice];
    NodePlan& planned =
        plan.nodes.emplace_back(NodePlan{.sources = {}, .operands = strategy.operands, .results = strategy.results});
    plan.run_cost += run_costs_[node][choice];
    if (!strategies_[node].is_known) replicated.insert(graph_.nodes[node].op);
    for (std::size_t at = 0; at < strategy.operands.size(); ++at) {
      const int value = graph_.nodes[node].operands[at];
      const std::vector<int>& results = graph_.nodes[made_by[value]].results;
      planned.sources.push_back(plan.nodes[made_by[value]].results[std::ranges::find(results, value) - results.begin()]);
      const Nanoseconds move = move_cost(graph_.values[value], planned.sources[at], planned.operands[at], mesh_, machine_);
      plan.move_cost += move;
      const bool is_ahead = prefetched.contains({static_cast<int>(node), static_cast<int>(at)});
      plan.objective += is_ahead ? discounted(move, rules_.prefetched_percent) : move;
    }
  }
  plan.objective += plan.run_cost;
  plan.replicated_operators.assign(replicated.begin(), replicated.end());
  // Cross-check: price the plan independently of the solver.
  if (solved.cost != plan.objective)
    return Error{fmt::format("the solver's plan costs {} ns, placing the graph so costs {} ns", solved.cost, plan.objective)};
  if (const Status verified = verify_plan(graph_, mesh_, machine_, rules_, plan); !verified) return verified.error();
  return plan;
}

// Finds a minimal set of conflicting rules: tries without each rule, and drops it if the remaining rules still allow no plan.
Error PlacementPlanner::conflict(const SolveOptions& options) const {
  const auto leaves_none = [&](const PlacementRules& rules) {
    const auto solved = solve_choices(problem_of(rules), options.solver, options.reduce);
    return solved && !solved->feasible;
  };
  PlacementRules needed = rules_;
  for (const std::string& name : names_of_rules(rules_)) {
    PlacementRules fewer = needed;
    remove_rule(fewer, name);
    if (leaves_none(fewer)) needed = fewer;
  }
  return Error{fmt::format("no placement keeps all of: {}", join(names_of_rules(needed), ", "))};
}

}  // namespace ordercheck::placing
