// Runs a traced forward and backward on a mesh by a placement plan: every rank computes on its pieces. If an operator needs a
// value in another placement than its producer gives, the value is redistributed (redistribution.h).
//
// It runs operator by operator, below autograd, so that a capture of the call contains all operators and collectives. Size
// arguments (view, expand) are replaced by those of the rank's piece. Every run checks result sizes against the plan. An
// UnshardScope marks gathered parameters. Source: AutoParallel's apply_sharding (meta-pytorch/autoparallel).
//
// Immutable; belongs to one rank.
#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "graph/joint_graph.h"
#include "graph/planner/placement_plan.h"
#include "native/graph/graph.h"

namespace ordercheck::ranks {

class PlacedGraph;
using PlacedGraphPtr = c10::intrusive_ptr<PlacedGraph>;

class PlacedGraph : public torch::CustomClassHolder {
 public:
  // `joint` must come from `traced` (joint_graph_of, with or without aliases), and `plan` from `joint`. `gathered` tells the
  // partition of a later capture whether backward keeps a gathered parameter or gathers it again. Throws if the graphs do not
  // match.
  PlacedGraph(GraphPtr traced, placing::JointGraph joint, placing::PlacementPlan plan, placing::DeviceMesh mesh,
              CheckpointPolicy gathered);

  // Returns the plan's placement of each parameter: the caller must pass pieces that are placed so.
  std::vector<placing::Placements> parameter_places() const;
  const placing::DeviceMesh& mesh() const { return mesh_; }
  // Returns the number of operator results per call that a checkpoint policy of the traced model saves for backward.
  std::int64_t operators_kept() const { return traced_->operators_kept; }

  // True if the pieces of the inputs have the sizes that the plan gives this rank.
  bool takes(const std::vector<at::Tensor>& inputs) const;

  // Run forward or backward, without autograd, on this rank's pieces.
  // - `tensors`: pieces of the `inputs` inputs, then of the parameters.
  // - `kept`: forward fills it with the values that backward reads.
  // - `tangent`: this rank's piece of the output's gradient.
  // - Backward returns the gradients in the order of `tensors`; undefined where the graph has none.
  // - Both throw if a piece does not have the planned size.
  at::Tensor forward(int64_t inputs, at::TensorList tensors, std::vector<at::Tensor>& kept) const;
  std::vector<at::Tensor> backward(int64_t inputs, int64_t parameters, const std::vector<at::Tensor>& kept,
                                   const at::Tensor& tangent) const;

 private:
  class Run;
  placing::Shape sizes_handed_in(int placeholder) const;
  struct Step {
    int joint = 0;               // index of the node in joint_
    const Node* node = nullptr;  // the operator; null for placeholder, alias and output nodes
  };

  GraphPtr traced_;
  placing::JointGraph joint_;
  placing::PlacementPlan plan_;
  placing::DeviceMesh mesh_;
  CheckpointPolicy gathered_;
  std::vector<Step> forward_, backward_;
  // By joint value: true if it derives from one parameter alone. Gathers of such values unshard a parameter.
  std::vector<bool> is_of_parameter_;
  std::vector<int> kept_;  // joint values of forward that backward reads
};

// Calls forward as one autograd function, with the graph's backward as its backward. Takes this rank's pieces, and returns its
// piece of the output.
at::Tensor call(const PlacedGraphPtr& graph, const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters);

}  // namespace ordercheck::ranks
