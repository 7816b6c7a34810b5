// A traced forward and backward, run on a mesh as a plan of placements says: every rank works on its pieces, and where an operator wants
// a value elsewhere than its producer leaves it, the value is redistributed (redistribution.h).
//
// It runs operator by operator, below autograd, so that whoever captures the call has all of it, collectives included. Sizes that an
// operator is told (view, expand) become those of the rank's piece; that its results have the sizes of the plan is checked at every run.
// A parameter that is gathered is marked by an UnshardScope.
// Source: AutoParallel's apply_sharding (meta-pytorch/autoparallel).
//
// Never changed once made; of one rank.
#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "placing/graph/joint_graph.h"
#include "placing/plan/placement_plan.h"
#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

class PlacedGraph;
using PlacedGraphPtr = c10::intrusive_ptr<PlacedGraph>;

class PlacedGraph : public torch::CustomClassHolder {
 public:
  // `joint` is that of `traced` (joint_graph_of, with or without aliases), `plan` one of `joint`. `gathered` says what a capture
  // does with a parameter that was gathered. Throws where the graphs are not of one another.
  PlacedGraph(GraphPtr traced, placing::JointGraph joint, placing::PlacementPlan plan, placing::DeviceMesh mesh,
              CheckpointPolicy gathered);

  // Where the caller is to leave them: as many as the graph has.
  std::vector<placing::Placements> parameter_places() const;
  const placing::DeviceMesh& mesh() const { return mesh_; }
  // What a checkpoint's policy handed to backward when the model was traced, and a call of this hands over, too.
  std::int64_t operators_kept() const { return traced_->operators_kept; }

  // These pieces of the inputs have the sizes that the plan says.
  bool takes(const std::vector<at::Tensor>& inputs) const;

  // One half of it, without autograd. `tensors`: this rank's pieces of the inputs, then of the parameters; `kept` is what backward is
  // handed. Backward returns gradients of the same, undefined where the graph has none. Throw where a piece has other sizes than the
  // plan says.
  at::Tensor forward(int64_t inputs, at::TensorList tensors, std::vector<at::Tensor>& kept) const;
  std::vector<at::Tensor> backward(int64_t inputs, int64_t parameters, const std::vector<at::Tensor>& kept,
                                   const at::Tensor& tangent) const;

 private:
  class Run;
  placing::Shape sizes_handed_in(int placeholder) const;
  struct Step {
    int joint = 0;               // number of its node
    const Node* node = nullptr;  // what it runs; null for a node of the graph's own: placeholder, alias, output
  };

  GraphPtr traced_;
  placing::JointGraph joint_;
  placing::PlacementPlan plan_;
  placing::DeviceMesh mesh_;
  CheckpointPolicy gathered_;
  std::vector<Step> forward_, backward_;
  std::vector<bool> is_of_parameter_;  // by value: made from one parameter alone
  std::vector<int> kept_;              // values of the forward that the backward takes
};

// Both halves as one differentiable call: the piece of the output.
at::Tensor call(const PlacedGraphPtr& graph, const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters);

}  // namespace ordercheck::ranks
