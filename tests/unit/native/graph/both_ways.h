// A computation run eagerly and as a replay of its capture, from the same numbers: what the tests of capture compare.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/variable.h>

#include "native/graph/passes.h"
#include "native/graph/recorder.h"
#include "native/graph/replay.h"
#include "native/module/module.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {

// What a run gives: the value, then the gradients of the inputs and of the leaves, undefined where there is none.
struct Outcome {
  at::Tensor value;
  std::vector<at::Tensor> gradients;
};

inline at::Tensor variable(const at::Tensor& tensor) { return tensor.detach().set_requires_grad(true); }

// Runs backward too, so that hooks fire as in training; takes the gradients out of the tensors again.
inline Outcome outcome_of(const Recorded& computation, const std::vector<at::Tensor>& inputs,
                          const std::vector<at::Tensor>& leaves) {
  Outcome outcome{.value = computation(inputs), .gradients = {}};
  if (outcome.value.requires_grad()) outcome.value.backward(numbers(outcome.value.sizes(), 3).to(outcome.value.device()));
  for (const auto* tensors : {&inputs, &leaves}) {
    for (const at::Tensor& tensor : *tensors) {
      outcome.gradients.push_back(tensor.grad().defined() ? tensor.grad().clone() : at::Tensor());
      tensor.mutable_grad().reset();
    }
  }
  return outcome;
}

// The plainest partition: backward is handed all that it reads.
inline void save_everything(Graph& graph) {
  std::set<ValueId> of_forward(graph.inputs.begin(), graph.inputs.end()), read;
  of_forward.insert(graph.parameters.begin(), graph.parameters.end());
  for (const Node& node : graph.forward) {
    for (const ValueId id : results(node)) of_forward.insert(id);
  }
  for (const Node& node : graph.backward) {
    for (const ValueId id : operands(node)) read.insert(id);
  }
  read.insert(graph.gradients.begin(), graph.gradients.end());
  graph.saved.clear();
  std::ranges::set_intersection(of_forward, read, std::back_inserter(graph.saved));
}

inline void optimize(Graph& graph) {
  remove_dead_nodes(graph);
  merge_equal_nodes(graph);
  partition(graph);
  remove_dead_nodes(graph);
}

inline Outcome replayed(const GraphPtr& graph, const std::vector<at::Tensor>& inputs) {
  return outcome_of([&](const std::vector<at::Tensor>& in) { return replay(graph, in); }, inputs, graph->leaves);
}

inline bool same_outcome(const Outcome& a, const Outcome& b) {
  if (!same_bits(a.value, b.value) || a.gradients.size() != b.gradients.size()) return false;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    if (a.gradients[i].defined() != b.gradients[i].defined()) return false;
    if (a.gradients[i].defined() && !same_bits(a.gradients[i], b.gradients[i])) return false;
  }
  return true;
}

inline std::string print(const Graph& graph) {
  std::string text;
  for (const GraphNodeRecord& node : describe(graph).nodes) {
    text += (node.backward ? "backward " : "forward ") + node.op + "(" + node.arguments + ")" +
            (node.recomputed ? "  # recomputed\n" : "\n");
  }
  return text;
}

// As recorded, and after the passes: both must give eager's bits.
inline void expect_equal_both_ways(const Recorded& computation, const std::vector<at::Tensor>& inputs,
                                   const std::vector<at::Tensor>& leaves) {
  const Outcome eager = outcome_of(computation, inputs, leaves);
  const GraphPtr graph = record("a region", computation, inputs, leaves);
  save_everything(*graph);
  EXPECT_TRUE(same_outcome(eager, replayed(graph, inputs))) << print(*graph);
  optimize(*graph);
  EXPECT_TRUE(same_outcome(eager, replayed(graph, inputs))) << "after the passes\n" << print(*graph);
}

inline int count(const std::vector<Node>& nodes, const std::string& name) {
  return static_cast<int>(std::ranges::count_if(nodes, [&](const Node& node) { return node.name() == name; }));
}

inline std::int64_t saved_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const ValueId id : graph.saved) {
    const bool is_parameter = std::ranges::find(graph.parameters, id) != graph.parameters.end();
    if (!is_parameter) bytes += graph.values[id].bytes;
  }
  return bytes;
}

}  // namespace ordercheck::ranks
