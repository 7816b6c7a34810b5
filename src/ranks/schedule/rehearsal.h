// A schedule run without its computations: whether each rank comes to the end of its list.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ranks/schedule/schedule.h"

namespace ordercheck::ranks {

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
