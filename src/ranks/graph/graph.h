// A captured computation: one forward and its backward as a list of operators over numbered values.
//
//   inputs, parameters, constants -> forward nodes -> output, saved
//   saved, tangent                -> backward nodes -> gradients of inputs and parameters
//
// Values are assigned once. Nodes stand in an order in which they can be run. A graph holds no tensor but its constants.
// Written by the recorder and by passes, then never changed; a graph belongs to one rank.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include "captured/lifetimes.h"
#include "parity/graph_record.h"

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
  std::vector<ValueId> values;  // kNoValue where nothing was returned
};

// What the partition does with what a forward node returns, where that is not left to what it costs: a tag of whoever ran the
// operator, after torch.utils.checkpoint's CheckpointPolicy. must_save: backward is handed it; must_recompute: backward makes it
// anew, collectives included.
enum class CheckpointPolicy { by_cost, must_save, must_recompute };

struct Node {
  c10::OperatorHandle op;
  std::vector<Argument> arguments;
  std::vector<NodeResult> results;
  // Work of the forward done again in backward: by a checkpoint that was captured, or put there by the partition.
  bool recomputed = false;
  CheckpointPolicy policy = CheckpointPolicy::by_cost;
  // A step from the piece of a parameter that a rank holds to the whole (graph/sharding_collectives.h).
  bool unshards = false;
  // Of a gather of a parameter: it is to be sent with those of the same name (graph/bucketing.h); "" by itself.
  std::string bucket;

  const std::string& name() const { return op.operator_name().name; }
};

struct ValueInfo {
  std::vector<int64_t> sizes;
  at::ScalarType dtype = at::kDouble;
  int64_t bytes = 0;
  bool is_view = false;  // shares the storage of the first operand of the node that made it
};

struct Graph : torch::CustomClassHolder {
  std::string region;               // the module that it was captured from, wrappers left out
  std::vector<std::string> passes;  // those that it went through, in order, by their names
  std::vector<ValueInfo> values;
  std::vector<ValueId> inputs;
  std::vector<ValueId> parameters;
  std::vector<at::Tensor> leaves;  // of the parameters, in the same order
  std::vector<std::pair<ValueId, at::Tensor>> constants;
  std::vector<Node> forward;
  ValueId output = kNoValue;
  std::vector<ValueId> saved;  // of inputs, parameters and forward's results: what backward is handed
  ValueId tangent = kNoValue;  // the output's gradient
  std::vector<Node> backward;
  std::int64_t operators_kept = 0;  // results that a checkpoint's policy hands from forward to backward
  std::vector<ValueId> gradients;   // of the inputs, then of the parameters; kNoValue where there is none
  captured::BufferPlan buffers;     // where values are written; empty where each has memory of its own
};
using GraphPtr = c10::intrusive_ptr<Graph>;

std::vector<ValueId> operands(const Node& node);
std::vector<ValueId> results(const Node& node);

// The argument as the operator takes it: the constant, or tensors. `tensor` is called for each value that is there, in order.
c10::IValue argument_of(const Argument& argument, const std::function<at::Tensor(ValueId)>& tensor);

// Of inputs, parameters and what forward makes, what backward's nodes and the gradients are; in the order of their numbers.
std::vector<ValueId> read_by_backward(const Graph& graph);

// Must run though nobody uses what it returns: collectives, which other ranks wait for, and what returns nothing.
bool has_effect(const Node& node);
bool is_collective(const Node& node);

// Draws random numbers: no two of them are one, and running it again draws others.
bool draws(const Node& node);

// The graph as a record keeps it. On a rank, whose mesh says how many ranks a group has.
GraphRecord describe(const Graph& graph);

}  // namespace ordercheck::ranks
