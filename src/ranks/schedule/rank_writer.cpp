#include "ranks/schedule/rank_writer.h"

#include <algorithm>
#include <cassert>

namespace ordercheck::ranks {

Action RankWriter::next(Computation computation, int stage) {
  std::map<int, int>& taken = computation == Computation::forward ? forwards_ : backwards_;
  return {computation, stage, taken[stage]++};
}

void RankWriter::idle(int slots) {
  for (int i = 0; i < slots; ++i) written_.emplace_back();
}

void RankWriter::forward(int stage) { written_.push_back({next(Computation::forward, stage)}); }

void RankWriter::backward(int stage) { written_.push_back({next(Computation::backward, stage)}); }

void RankWriter::backward_input(int stage) {
  lacking_.push_back(next(Computation::backward_input, stage));
  written_.push_back({lacking_.back()});
}

void RankWriter::overlapped(int forward_stage, int backward_stage) {
  const Action forward = next(Computation::forward, forward_stage);
  written_.push_back({forward, next(Computation::backward, backward_stage)});
}

void RankWriter::write_weight(std::vector<Action>::iterator of) {
  assert(of != lacking_.end() && "a backward_weight without its backward_input");
  written_.push_back({{Computation::backward_weight, of->stage, of->microbatch}});
  lacking_.erase(of);
}

void RankWriter::backward_weight(int stage) { write_weight(std::ranges::find(lacking_, stage, &Action::stage)); }

void RankWriter::oldest_weight() { write_weight(lacking_.begin()); }

int RankWriter::forwards(int stage) const {
  const auto found = forwards_.find(stage);
  return found == forwards_.end() ? 0 : found->second;
}

}  // namespace ordercheck::ranks
