#include "native/graph/replay.h"

#include <optional>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/arith/stock_operators.h"
#include "native/graph/dispatch_mode.h"
#include "native/module/compiled_scope.h"
#include "native/module/rank.h"
#include "native/module/recompute_scope.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The tensors of one run of forward or backward, by value id.
class Environment {
 public:
  explicit Environment(const Graph& graph) : tensors_(graph.values.size()) {
    for (const auto& [id, tensor] : graph.constants) tensors_[id] = tensor;
  }
  void set(ValueId id, at::Tensor tensor) {
    if (id != kNoValue) tensors_[id] = std::move(tensor);
  }
  at::Tensor get(ValueId id) const { return id == kNoValue ? at::Tensor() : tensors_[id]; }

 private:
  std::vector<at::Tensor> tensors_;
};

// Returns how often each value is read, so that its tensor can be freed after the last read.
std::vector<int> readers(const Graph& graph, const std::vector<Node>& nodes, const std::vector<ValueId>& wanted) {
  std::vector<int> count(graph.values.size(), 0);
  for (const Node& node : nodes) {
    for (const ValueId id : operands(node)) ++count[id];
  }
  for (const ValueId id : wanted) {
    if (id != kNoValue) ++count[id];
  }
  return count;
}

void run(const Graph& graph, const std::vector<Node>& nodes, const std::vector<ValueId>& wanted, Environment& values) {
  const OnlyInstruments opaque;
  const GraphRun counted;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  // Turn autocast off: the casts of the recorded run are part of the graph, and the caller's autocast would add more.
  // AOTAutograd runs its graphs like this too.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  std::vector<int> left = readers(graph, nodes, wanted);
  PlannedMemory memory(graph.buffers);
  torch::jit::Stack stack;
  for (const Node& node : nodes) {
    std::optional<RecomputeScope> phase;
    if (node.recomputed) phase.emplace();
    stack.clear();
    for (const Argument& argument : node.arguments)
      stack.push_back(argument_of(argument, [&](ValueId id) { return values.get(id); }));
    node.op.callBoxed(&stack);
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      const NodeResult& result = node.results[i];
      if (!result.is_list) {
        const ValueId id = result.values[0];
        const at::Tensor made = stack[i].toTensor();
        const at::Tensor value = is_collective(node) || id == kNoValue ? made : memory.placed(id, made);
        if (node.unshards) hold_as_parameter(value);
        values.set(id, value);
        continue;
      }
      const auto list = stack[i].toTensorVector();
      for (std::size_t k = 0; k < list.size(); ++k) values.set(result.values[k], list[k]);
    }
    for (const ValueId id : operands(node)) {
      if (--left[id] == 0) values.set(id, at::Tensor());
    }
  }
}

struct Replay : torch::autograd::Function<Replay> {
  static at::Tensor forward(AutogradContext* ctx, const GraphPtr& graph, at::TensorList tensors) {
    Environment values(*graph);
    std::size_t next = 0;
    for (const ValueId id : graph->inputs) values.set(id, tensors[next++]);
    for (const ValueId id : graph->parameters) values.set(id, tensors[next++]);
    std::vector<ValueId> wanted = graph->saved;
    wanted.push_back(graph->output);
    run(*graph, graph->forward, wanted, values);
    variable_list saved;
    for (const ValueId id : graph->saved) saved.push_back(values.get(id));
    ctx->save_for_backward(std::move(saved));
    ctx->saved_data["graph"] = c10::IValue::make_capsule(graph);
    return values.get(graph->output);
  }

  static variable_list backward(AutogradContext* ctx, variable_list tangents) {
    const auto graph = c10::static_intrusive_pointer_cast<Graph>(ctx->saved_data["graph"].toCapsule());
    const variable_list saved = ctx->get_saved_variables();
    Environment values(*graph);
    for (std::size_t i = 0; i < saved.size(); ++i) values.set(graph->saved[i], saved[i]);
    // The graph was recorded with a contiguous gradient of the output.
    values.set(graph->tangent, tangents[0].contiguous());
    const at::NoGradGuard no_grad;
    run(*graph, graph->backward, graph->gradients, values);
    if (RankState* rank = find_rank()) rank->counters.operators_kept += graph->operators_kept;
    variable_list gradients{at::Tensor()};  // no gradient for the graph argument
    for (const ValueId id : graph->gradients) gradients.push_back(values.get(id));
    return gradients;
  }
};

}  // namespace

at::Tensor replay(const GraphPtr& graph, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> tensors = inputs;
  tensors.insert(tensors.end(), graph->leaves.begin(), graph->leaves.end());
  return Replay::apply(graph, at::TensorList(tensors));
}

at::Tensor PlannedMemory::placed(ValueId id, const at::Tensor& made) {
  const auto value = static_cast<std::size_t>(id);
  const int buffer = value < plan_.buffer.size() ? plan_.buffer[value] : -1;
  if (buffer == -1 || !made.is_non_overlapping_and_dense()) return made;
  // Not recorded or counted: a real compiler's kernel would write to the buffer directly.
  const StockOperators unseen;
  at::Tensor& memory = memories_[static_cast<std::size_t>(buffer)];
  if (!memory.defined()) memory = at::empty({plan_.bytes[static_cast<std::size_t>(buffer)]}, made.options().dtype(at::kByte));
  at::Tensor there = at::empty({0}, made.options());
  there.set_(memory.storage(), 0, made.sizes(), made.strides());
  return there.copy_(made);
}

}  // namespace ordercheck::ranks
