// Writes the list of one rank. Every schedule takes the microbatches of a stage in order, so an action is told by what it
// computes and its stage: its microbatch is the next one.
#pragma once

#include <map>

#include "ranks/schedule/schedule.h"

namespace ordercheck::ranks {

class RankWriter {
 public:
  void idle(int slots);  // none where it is negative
  void forward(int stage);
  void backward(int stage);
  void backward_input(int stage);
  void overlapped(int forward_stage, int backward_stage);

  // The weights of the oldest backward_input that still lacks them: of a stage, or of all. Asserts that there is one.
  void backward_weight(int stage);
  void oldest_weight();

  int forwards(int stage) const;
  bool lacks_weights() const { return !lacking_.empty(); }
  const RankSchedule& written() const { return written_; }

 private:
  Action next(Computation computation, int stage);
  void write_weight(std::vector<Action>::iterator of);

  RankSchedule written_;
  std::map<int, int> forwards_, backwards_;  // by stage
  std::vector<Action> lacking_;              // every backward_input without its backward_weight
};

}  // namespace ordercheck::ranks
