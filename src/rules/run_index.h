// Indexes the committed runs of the target's version by their stack.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/grade.h"
#include "stack/case.h"

namespace ordercheck {

// A committed run of the target, with its case parsed once.
struct TargetRun {
  const Observation* seen = nullptr;
  Case ran;
};

class RunIndex {
 public:
  RunIndex() = default;
  explicit RunIndex(std::vector<TargetRun> runs);

  const std::vector<TargetRun>& runs() const { return runs_; }
  // Indices in runs() of the runs of this stack with any degrees, ascending.
  std::vector<std::size_t> of_shape(const Stack& shape) const;  // `shape` has no degrees

 private:
  std::vector<TargetRun> runs_;
  std::unordered_map<std::string, std::vector<std::size_t>> of_shape_;  // keyed by the printed stack without degrees
};

}  // namespace ordercheck
