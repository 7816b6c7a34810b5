#include "native/transform/placed_graph.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/graph/sharding_collectives.h"
#include "native/module/rank.h"
#include "native/module/recompute_scope.h"
#include "native/transform/redistribution.h"

namespace ordercheck::ranks {
namespace {

using placing::JointNode;
using placing::NodePlan;
using placing::Role;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool is_own(const JointNode& node) { return node.op == "placeholder" || node.op == "alias" || node.op == "output"; }

}  // namespace

// One run of forward or of backward: holds this rank's pieces of the values computed so far.
class PlacedGraph::Run {
 public:
  explicit Run(const PlacedGraph& graph) : graph_(graph), pieces_(graph.joint_.values.size()) {}

  void hand_in(Role role, std::size_t index, const at::Tensor& piece) {
    const int number = placing::find_node(graph_.joint_, role, static_cast<int>(index));
    const int value = graph_.joint_.nodes[number].results.front();
    const placing::Shape expected = graph_.sizes_handed_in(number);
    if (piece.sizes() != at::IntArrayRef(expected))
      throw std::runtime_error(fmt::format("{} of a model placed by plan: expected this rank's piece to be [{}], got [{}]",
                                           placing::name_of(graph_.joint_, number), fmt::join(expected, ", "),
                                           fmt::join(piece.sizes(), ", ")));
    pieces_[value] = piece;
  }
  void hand_back(const std::vector<int>& values, const variable_list& pieces) {
    for (std::size_t at = 0; at < values.size(); ++at) pieces_[values[at]] = pieces[at];
  }

  void run(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      std::optional<RecomputeScope> again;
      if (step.node != nullptr && step.node->recomputed) again.emplace();
      run(step);
    }
  }

  at::Tensor piece(int value) const { return pieces_[value]; }

  // Returns the graph output number `index` of this role, such as a parameter's gradient; undefined if the graph has none.
  at::Tensor handed_out(Role role, std::size_t index) const {
    const int number = placing::find_node(graph_.joint_, role, static_cast<int>(index));
    return number < 0 ? at::Tensor() : operand(number, 0);
  }

 private:
  placing::Shape sizes_of(int value, const placing::Placements& placements) const {
    return piece_sizes(graph_.joint_.values[value].shape, placements, graph_.mesh_);
  }

  at::Tensor operand(int number, std::size_t at) const {
    const int value = graph_.joint_.nodes[number].operands[at];
    const NodePlan& plan = graph_.plan_.nodes[number];
    std::optional<UnshardScope> gathering;
    if (graph_.is_of_parameter_[value] && plan.sources[at] != plan.operands[at]) gathering.emplace(graph_.gathered_);
    return redistribute(pieces_[value], graph_.joint_.values[value].shape, plan.sources[at], plan.operands[at], graph_.mesh_);
  }

  void run(const Step& step) {
    const JointNode& node = graph_.joint_.nodes[step.joint];
    if (node.op == "placeholder" || node.op == "output") return;
    std::vector<at::Tensor> operands;
    for (std::size_t at = 0; at < node.operands.size(); ++at) operands.push_back(operand(step.joint, at));
    if (step.node == nullptr) {
      pieces_[node.results.front()] = operands.front();
      return;
    }
    std::vector<placing::Shape> sizes;
    for (std::size_t at = 0; at < node.results.size(); ++at)
      sizes.push_back(sizes_of(node.results[at], graph_.plan_.nodes[step.joint].results[at]));
    const std::vector<at::Tensor> made = run_on_pieces(*step.node, operands, sizes);
    for (std::size_t at = 0; at < made.size(); ++at) pieces_[node.results[at]] = made[at];
  }

  const PlacedGraph& graph_;
  std::vector<at::Tensor> pieces_;
};

namespace {

// Disables autograd, because the graph has its own backward, and the caller's autocast: the trace fixed the operators and
// dtypes. AOTAutograd runs compiled graphs like this too.
class AsTraced {
 public:
  AsTraced() : no_autocast_(c10::autocast_dispatch_keyset) {}

 private:
  at::AutoDispatchBelowADInplaceOrView below_autograd_;
  c10::impl::ExcludeDispatchKeyGuard no_autocast_;
};

struct PlacedCall : torch::autograd::Function<PlacedCall> {
  static at::Tensor forward(AutogradContext* ctx, const PlacedGraphPtr& graph, int64_t inputs, at::TensorList tensors) {
    const AsTraced as_traced;
    variable_list kept;
    const at::Tensor output = graph->forward(inputs, tensors, kept);
    ctx->save_for_backward(std::move(kept));
    ctx->saved_data["graph"] = c10::IValue::make_capsule(graph);
    ctx->saved_data["inputs"] = inputs;
    ctx->saved_data["parameters"] = static_cast<int64_t>(tensors.size()) - inputs;
    return output;
  }

  static variable_list backward(AutogradContext* ctx, variable_list tangents) {
    const auto graph = c10::static_intrusive_pointer_cast<PlacedGraph>(ctx->saved_data["graph"].toCapsule());
    const variable_list kept = ctx->get_saved_variables();
    const at::NoGradGuard no_grad;
    const AsTraced as_traced;
    if (RankState* rank = find_rank()) rank->counters.operators_kept += graph->operators_kept();
    variable_list gradients{at::Tensor(), at::Tensor()};  // no gradients for the non-tensor arguments
    for (at::Tensor& each : graph->backward(ctx->saved_data["inputs"].toInt(), ctx->saved_data["parameters"].toInt(), kept,
                                            tangents[0].contiguous()))
      gradients.push_back(std::move(each));
    return gradients;
  }
};

}  // namespace

PlacedGraph::PlacedGraph(GraphPtr traced, placing::JointGraph joint, placing::PlacementPlan plan, placing::DeviceMesh mesh,
                         CheckpointPolicy gathered)
    : traced_(std::move(traced)),
      joint_(std::move(joint)),
      plan_(std::move(plan)),
      mesh_(std::move(mesh)),
      gathered_(gathered) {
  std::vector<const Node*> operators;
  for (const auto* half : {&traced_->forward, &traced_->backward}) {
    for (const Node& node : *half) operators.push_back(&node);
  }
  is_of_parameter_.resize(joint_.values.size());
  std::size_t next = 0;
  std::set<int> made_forward, taken_backward;
  for (std::size_t number = 0; number < joint_.nodes.size(); ++number) {
    const JointNode& node = joint_.nodes[number];
    Step step{.joint = static_cast<int>(number)};
    if (!is_own(node)) {
      if (next == operators.size() || operators[next]->name() != node.op)
        throw std::runtime_error(
            fmt::format("node {} of the plan is {}, which the traced graph does not have there", number, node.op));
      step.node = operators[next++];
    }
    (node.backward ? backward_ : forward_).push_back(step);
    const bool of_parameter =
        node.role == Role::parameter ||
        (!node.backward && node.operands.size() == 1 && is_of_parameter_[static_cast<std::size_t>(node.operands.front())]);
    for (const int value : node.results) is_of_parameter_[static_cast<std::size_t>(value)] = of_parameter;
    if (node.backward)
      taken_backward.insert(node.operands.begin(), node.operands.end());
    else
      made_forward.insert(node.results.begin(), node.results.end());
  }
  std::ranges::set_intersection(made_forward, taken_backward, std::back_inserter(kept_));
}

std::vector<placing::Placements> PlacedGraph::parameter_places() const {
  std::vector<placing::Placements> places;
  for (std::size_t index = 0; index < traced_->parameters.size(); ++index)
    places.push_back(plan_.nodes[placing::find_node(joint_, Role::parameter, static_cast<int>(index))].results.front());
  return places;
}

placing::Shape PlacedGraph::sizes_handed_in(int placeholder) const {
  const int value = joint_.nodes[placeholder].results.front();
  return piece_sizes(joint_.values[value].shape, plan_.nodes[placeholder].results.front(), mesh_);
}

bool PlacedGraph::takes(const std::vector<at::Tensor>& inputs) const {
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    const int placeholder = placing::find_node(joint_, Role::input, static_cast<int>(at));
    if (placeholder < 0 || inputs[at].sizes() != at::IntArrayRef(sizes_handed_in(placeholder))) return false;
  }
  return true;
}

at::Tensor PlacedGraph::forward(int64_t inputs, at::TensorList tensors, variable_list& kept) const {
  Run run(*this);
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const bool is_input = static_cast<int64_t>(at) < inputs;
    run.hand_in(is_input ? Role::input : Role::parameter, is_input ? at : at - static_cast<std::size_t>(inputs), tensors[at]);
  }
  run.run(forward_);
  for (const int value : kept_) kept.push_back(run.piece(value));
  return run.handed_out(Role::output, 0);
}

variable_list PlacedGraph::backward(int64_t inputs, int64_t parameters, const variable_list& kept,
                                    const at::Tensor& tangent) const {
  Run run(*this);
  run.hand_back(kept_, kept);
  run.hand_in(Role::tangent, 0, tangent);
  run.run(backward_);
  variable_list gradients;
  for (int64_t at = 0; at < inputs; ++at)
    gradients.push_back(run.handed_out(Role::gradient_of_input, static_cast<std::size_t>(at)));
  for (int64_t at = 0; at < parameters; ++at)
    gradients.push_back(run.handed_out(Role::gradient_of_parameter, static_cast<std::size_t>(at)));
  return gradients;
}

at::Tensor call(const PlacedGraphPtr& graph, const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> tensors = inputs;
  tensors.insert(tensors.end(), parameters.begin(), parameters.end());
  return PlacedCall::apply(graph, static_cast<int64_t>(inputs.size()), at::TensorList(tensors));
}

}  // namespace ordercheck::ranks
