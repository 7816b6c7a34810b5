// Writes the list of one rank. Every schedule takes the microbatches of a stage in order, so an action is told by what it
// computes and its stage: its microbatch is the next one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

// A schedule run without its computations: whether each rank comes to the end of its list.

// A schedule in which every action stands once, on the rank of its stage.
class Rehearsal {
 public:
  explicit Rehearsal(const Schedule& schedule);

  // Where each rank that never ends stands, and for what it waits.
  std::optional<std::string> run();

 private:
  bool at_end(std::size_t rank) const { return next_[rank] == schedule_.ranks[rank].size(); }
  const Slot& slot_of(std::size_t rank) const { return schedule_.ranks[rank][next_[rank]]; }
  Action backward_of(int stage, int microbatch) const;
  std::vector<Action> needs(const Action& action) const;
  std::optional<Action> waits_for(const Slot& slot) const;

  const Schedule& schedule_;
  std::vector<std::size_t> next_;  // slot of each rank
  std::set<Action> given_, done_;
};

}  // namespace ordercheck::ranks
