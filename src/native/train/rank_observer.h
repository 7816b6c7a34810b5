// Records a rank's losses, gradients, values and module outputs as copies, so that observing changes neither values nor order.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "native/train/rank_program.h"

namespace ordercheck::ranks {

// Lives as long as the run. Used by the rank's own thread and by its hooks in backward.
class RankObserver {
 public:
  // Starts recording graphs and plans if `program` asks for them.
  RankObserver(const RankProgram& program, RankState& rank);
  RankObserver(const RankObserver&) = delete;
  RankObserver& operator=(const RankObserver&) = delete;

  // Call after the transforms were applied. Hooks the modules if the run is traced, and optimizers that step within backward.
  void watch(const TrainingProgram& training);

  void begin_forward() { calls_.clear(); }  // call before each microbatch's forward
  void add_positions(const at::Tensor& positions) { result_.positions = positions.to(at::kCPU); }
  void add_loss(double loss);
  void add_gradients();  // of the step; call before the optimizer steps
  void add_gradient_norm(double norm);
  void end_step() { stepped_by_.clear(); }
  RankResult finish();

  // Returns the gradient that the parameter's update uses: the recorded copy if the optimizer stepped in backward, else .grad.
  at::Tensor gradient_of(const Parameter& parameter) const;

 private:
  std::map<std::string, Piece> pieces(const std::function<at::Tensor(const Parameter&)>& take) const;
  void watch_modules();
  void count_graphs();

  const RankProgram& program_;
  RankState& rank_;
  const TrainingProgram* training_ = nullptr;
  std::map<const Module*, int> calls_;                 // how often each module was called in this microbatch's forward
  std::map<const Parameter*, at::Tensor> stepped_by_;  // in-backward optimizers: copy of this step's gradient
  std::vector<GraphRecord> captured_;
  RankResult result_;
};

}  // namespace ordercheck::ranks
