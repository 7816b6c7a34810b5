#include "native/transform/placed_model.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/planner/plan_record_of.h"
#include "graph/planner/same_placements.h"
#include "graph/recorded.h"
#include "native/graph/dispatch_mode.h"
#include "native/graph/passes.h"
#include "native/graph/recorder.h"
#include "native/module/rank.h"
#include "native/transform/placed_graph.h"

namespace ordercheck::ranks {
namespace {

using placing::JointGraph;

template <class Value>
Value unless_error(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

GraphPtr traced(const ModulePtr& model, const std::vector<NamedParameter>& parameters, const std::vector<SampleInput>& inputs) {
  Tensors tensors, leaves;
  for (const SampleInput& input : inputs) tensors.push_back(input.tensor);
  for (const NamedParameter& named : parameters) leaves.push_back(named.parameter->tensor);
  GraphPtr graph;
  try {
    graph = record(model->plain_path(), [&](const Tensors& own) { return model->call(own); }, tensors, leaves);
  } catch (const GraphBreak& reason) {
    throw std::runtime_error(
        fmt::format("a plan is of one graph of the whole model, and tracing it breaks: {}", reason.what()));
  }
  remove_dead_nodes(*graph);
  merge_equal_nodes(*graph);
  remove_dead_nodes(*graph);
  return graph;
}

JointGraph joint_of(const Graph& graph) { return unless_error(placing::joint_graph_of(describe(graph))); }

Placements on_ranks(const placing::Placements& placements, const placing::DeviceMesh& mesh) {
  Placements all;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    const bool is_shard = placements[axis].kind == placing::Placement::Kind::shard;
    all.push_back({.axis = mesh[axis].name,
                   .kind = is_shard ? Placement::Kind::shard : Placement::Kind::replicate,
                   .dim = placements[axis].dim});
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<NamedParameter>& parameters) {
  std::vector<std::string> names;
  for (const NamedParameter& named : parameters) names.push_back(named.name);
  return names;
}

// Puts into each slot of the model the placed parameter that `placed` maps its old one to.
void replace_parameters(const ModulePtr& model, const std::map<const Parameter*, ParameterPtr>& placed) {
  for (const ModulePtr& module : modules_of(model)) {
    const auto slots = module->parameters();  // a copy: the loop modifies the original
    for (const auto& [slot, whole] : slots) module->set_parameter(slot, placed.at(whole.get()));
  }
}

struct Traced {
  GraphPtr graph;
  placing::PlacementPlanner planner;
};

Traced traced_for(const ModulePtr& model, const std::vector<NamedParameter>& parameters, const std::vector<SampleInput>& inputs,
                  const placing::DeviceMesh& mesh, const PlacedModelOptions& options) {
  const GraphPtr graph = traced(model, parameters, inputs);
  auto planner = unless_error(placing::PlacementPlanner::make(joint_of(*graph), mesh, options.machine(mesh)));
  placing::TrainingRules rules = options.rules;
  for (const SampleInput& input : inputs) rules.has_samples.push_back(input.has_samples);
  if (const Status stated = placing::state_training_rules(planner, rules); !stated)
    throw std::runtime_error(stated.error().message);
  return {graph, std::move(planner)};
}

// Returns the graph whose planned input sizes are those of the pieces. If none fits, returns the first one, because its error
// names the expected sizes.
const PlacedGraphPtr& graph_for(const std::vector<PlacedGraphPtr>& graphs, const Tensors& pieces) {
  const auto found = std::ranges::find_if(graphs, [&](const PlacedGraphPtr& each) { return each->takes(pieces); });
  return found == graphs.end() ? graphs.front() : *found;
}

}  // namespace

void place_by_plan(const ModulePtr& model, const std::vector<SampleInput>& inputs, const PlacedModelOptions& options) {
  placing::DeviceMesh mesh;
  for (const std::string& axis : options.axes) mesh.push_back({.name = axis, .size = degree_of(options.mesh, axis)});
  const std::vector<NamedParameter> parameters = parameters_of(model);
  for (const NamedParameter& named : parameters) {
    if (!named.parameter->placements.empty())
      throw std::runtime_error(fmt::format("a plan places whole parameters, and {} is placed already ({})", named.name,
                                           print(named.parameter->placements)));
  }
  Traced first = traced_for(model, parameters, inputs, mesh, options);
  std::vector<Traced> others;
  for (const std::vector<SampleInput>& batch : options.other_batches) {
    others.push_back(traced_for(model, parameters, batch, mesh, options));
    first.planner.keep_choices_of(others.back().planner);
  }
  const placing::PlacementPlanner& planner = first.planner;
  const placing::PlacementPlan plan = unless_error(plan_once(planner));
  if (const auto& tell = this_rank().on_plan) tell(plan_record(planner, plan, names_of(parameters)));
  const auto placed = [&](const Traced& of, placing::PlacementPlan by) {
    return c10::make_intrusive<PlacedGraph>(of.graph, of.planner.graph(), std::move(by), mesh, options.gathered);
  };
  std::vector<PlacedGraphPtr> graphs{placed(first, plan)};
  for (const Traced& other : others)
    graphs.push_back(placed(other, unless_error(placing::same_placements(planner, plan, other.planner))));

  const std::vector<placing::Placements> places = graphs.front()->parameter_places();
  std::map<const Parameter*, ParameterPtr> pieces;
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const Parameter& whole = *parameters[at].parameter;
    const Placements own = on_ranks(places[at], mesh);
    pieces[&whole] = make_parameter(local_piece(whole.tensor.detach(), own, options.mesh, options.rank).clone(),
                                    whole.full_shape, own, whole.tensor.requires_grad());
  }
  replace_parameters(model, pieces);

  const int output = placing::find_node(planner.graph(), placing::Role::output, 0);
  for (const Placement& at : on_ranks(placing::place_of(plan.nodes[output]), mesh)) {
    if (at.kind == Placement::Kind::shard && !options.rules.batch_axes.contains(at.axis))
      model->output_placements.push_back(at);
  }
  // Read parameters from their slots at each call, so that a later transform that replaces one takes effect.
  model->replace_body([graphs, parameters](const Body&) -> Body {
    return [graphs, parameters](const Tensors& pieces) {
      Tensors leaves;
      for (const NamedParameter& named : parameters) leaves.push_back(named.owner->parameter(named.slot)->used());
      return call(graph_for(graphs, pieces), pieces, leaves);
    };
  });
}

namespace {

// Returns the cache key of a plan: all inputs of the planner as text.
std::string question_of(const placing::PlacementPlanner& planner) {
  const placing::JointGraph& graph = planner.graph();
  std::string text;
  for (const placing::JointValue& value : graph.values) text += fmt::format("{}:{}\n", value.shape, value.element_bytes);
  for (const placing::JointNode& node : graph.nodes)
    text += fmt::format("{} {} {} {} {} {} {}\n", node.op, node.arguments, node.operands, node.results, node.backward,
                        static_cast<int>(node.role), node.index);
  for (const placing::MeshAxis& axis : planner.mesh()) text += fmt::format("{}={}\n", axis.name, axis.size);
  const placing::Machine& machine = planner.machine();
  text += fmt::format("{} {} {} {}\n", machine.flops_per_us, machine.memory_bytes_per_us, machine.reachable, machine.launch_us);
  for (const placing::Link& link : machine.links) text += fmt::format("{} {}\n", link.bytes_per_us, link.latency_us);
  const placing::PlacementRules& rules = planner.rules();
  for (const placing::NodeStrategies& of : planner.strategies()) text += fmt::format("{} ", of.choices.size());
  for (const int axis : rules.replicated_on) text += fmt::format("replicated on {}\n", axis);
  for (const placing::Pin& pin : rules.pins) text += fmt::format("{} {}\n", pin.node, placing::name_of(pin.placements));
  return text +
         fmt::format("{} {} {}\n", rules.memory.low.value_or(-1), rules.memory.high.value_or(-1), rules.prefetched_percent);
}

}  // namespace

Result<placing::PlacementPlan> plan_once(const placing::PlacementPlanner& planner) {
  static std::mutex mutex;
  static auto* known = new std::map<std::string, placing::PlacementPlan>;  // never destroyed: ranks may outlive main()
  const std::string question = question_of(planner);
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(question); found != known->end()) return found->second;
  auto plan = planner.solve();
  if (plan) known->emplace(question, *plan);
  return plan;
}

}  // namespace ordercheck::ranks
