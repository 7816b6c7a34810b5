// Writes the schedule of one rank, and simulates complete schedules to find deadlocks. Every schedule runs a stage's
// microbatches in order, so a call names only computation and stage: the writer counts microbatches.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "native/transform/schedule.h"

namespace ordercheck::ranks {

class RankWriter {
 public:
  void idle(int slots);  // appends bubbles; none if negative
  void forward(int stage);
  void backward(int stage);
  void backward_input(int stage);
  void overlapped(int forward_stage, int backward_stage);

  // Append the backward_weight of the oldest backward_input that has none yet, of one stage or of all. Assert that there is
  // one.
  void backward_weight(int stage);
  void oldest_weight();

  int forwards(int stage) const;
  bool lacks_weights() const { return !lacking_.empty(); }
  const RankSchedule& written() const { return written_; }

 private:
  Action next(Computation computation, int stage);
  void write_weight(std::vector<Action>::iterator of);

  RankSchedule written_;
  std::map<int, int> forwards_, backwards_;  // by stage: the number written so far
  std::vector<Action> lacking_;              // each backward_input without its backward_weight so far, oldest first
};

// Runs a schedule without computing, to check that each rank reaches its end. Every action must appear once, on the rank of its
// stage.
class Rehearsal {
 public:
  explicit Rehearsal(const Schedule& schedule);

  // Returns, in one line, at which action each stuck rank stops and for which action it waits; nullopt if all ranks finish.
  std::optional<std::string> run();

 private:
  bool at_end(std::size_t rank) const { return next_[rank] == schedule_.ranks[rank].size(); }
  const Slot& slot_of(std::size_t rank) const { return schedule_.ranks[rank][next_[rank]]; }
  Action backward_of(int stage, int microbatch) const;
  std::vector<Action> needs(const Action& action) const;
  std::optional<Action> waits_for(const Slot& slot) const;

  const Schedule& schedule_;
  std::vector<std::size_t> next_;  // by rank: index of its current slot
  std::set<Action> given_, done_;  // all actions of the schedule, and those that have run
};

}  // namespace ordercheck::ranks
