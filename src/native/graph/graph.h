// Provides the captured graph: one forward and its backward as lists of operators over numbered values.
//
//   inputs, parameters, constants -> forward nodes -> output, saved
//   saved, tangent                -> backward nodes -> gradients of inputs and parameters
//
// Each value is assigned once. Nodes are in a valid execution order. A graph holds no tensors except constants and parameter
// leaves. The recorder and passes write it; then it is immutable. It belongs to one rank.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include "graph/lifetimes.h"
#include "record/graph_record.h"

namespace ordercheck::ranks {

using ValueId = int;
inline constexpr ValueId kNoValue = -1;

// One argument of an operator: values, or a constant.
struct Argument {
  enum class Form { constant, tensor, tensors, optional_tensors };
  Form form = Form::constant;
  std::vector<ValueId> values;  // kNoValue for an undefined or absent tensor
  c10::IValue constant;
};

struct NodeResult {
  bool is_list = false;
  std::vector<ValueId> values;  // kNoValue for an undefined result
};

// Whether the partition keeps a node's results for backward or recomputes them there, after torch.utils.checkpoint's
// CheckpointPolicy: whichever costs less, always keep, or always recompute, collectives included. Set by the code that ran the
// operator, such as a checkpoint wrapper.
enum class CheckpointPolicy { by_cost, must_save, must_recompute };

struct Node {
  c10::OperatorHandle op;
  std::vector<Argument> arguments;
  std::vector<NodeResult> results;
  // A forward operator that runs again in backward, because of a checkpoint wrapper or the partition.
  bool recomputed = false;
  CheckpointPolicy policy = CheckpointPolicy::by_cost;
  // One of the operators that build the full parameter from a rank's piece (graph/sharding_collectives.h).
  bool unshards = false;
  // For a parameter's all-gather: it is merged with all others of the same name (graph/bucketing.h). Empty: not merged.
  std::string bucket;

  const std::string& name() const { return op.operator_name().name; }
};

struct ValueInfo {
  std::vector<int64_t> sizes;
  at::ScalarType dtype = at::kDouble;
  int64_t bytes = 0;
  bool is_view = false;  // shares storage with the first operand of the node that made it
};

struct Graph : torch::CustomClassHolder {
  std::string region;               // path of the captured module, without wrappers
  std::vector<std::string> passes;  // names of the passes that ran, in order
  std::vector<ValueInfo> values;
  std::vector<ValueId> inputs;
  std::vector<ValueId> parameters;
  std::vector<at::Tensor> leaves;                         // parameter leaves that `parameters` stand for, in the same order
  std::vector<std::pair<ValueId, at::Tensor>> constants;  // tensors that the graph reads but that are no inputs
  std::vector<Node> forward;
  ValueId output = kNoValue;
  std::vector<ValueId> saved;  // inputs, parameters and forward results that backward receives
  ValueId tangent = kNoValue;  // gradient of the output
  std::vector<Node> backward;
  std::int64_t operators_kept = 0;  // number of results that a checkpoint policy saves for backward
  std::vector<ValueId> gradients;   // of inputs, then parameters; kNoValue if none
  captured::BufferPlan buffers;     // which memory each result is written to; empty without the pass reuse
};
using GraphPtr = c10::intrusive_ptr<Graph>;

std::vector<ValueId> operands(const Node& node);
std::vector<ValueId> results(const Node& node);

// Returns the value to pass to the operator: the constant, or the tensors that `tensor` returns for the argument's values, in
// order. `tensor` is not called for undefined ones.
c10::IValue argument_of(const Argument& argument, const std::function<at::Tensor(ValueId)>& tensor);

// Returns the values that backward needs from forward (inputs, parameters, forward results): those that its nodes read or that
// are gradients themselves. Ascending ids.
std::vector<ValueId> read_by_backward(const Graph& graph);

// True if a node must run even if its results are unused: a collective, which other ranks wait for, or a node without results.
bool has_effect(const Node& node);
bool is_collective(const Node& node);

// True if a node draws random numbers: two draws must not be merged, and a recomputed draw would give other numbers.
bool draws(const Node& node);

// Returns the graph in the format of records. Call on a rank's thread: the group sizes come from its mesh.
GraphRecord describe(const Graph& graph);

}  // namespace ordercheck::ranks
