// Committed runs of one version, found by the stack that ran.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "rule/grade.h"
#include "stack/case.h"

namespace ordercheck {

// A committed run of the target, its case parsed once for all questions.
struct TargetRun {
  const Observation* seen = nullptr;
  Case ran;
};

class RunIndex {
 public:
  RunIndex() = default;
  explicit RunIndex(std::vector<TargetRun> runs);

  const std::vector<TargetRun>& runs() const { return runs_; }
  // Places of runs that train the stack, whatever its degrees, ascending.
  std::vector<std::size_t> of_shape(const Stack& shape) const;  // without degrees

 private:
  std::vector<TargetRun> runs_;
  std::unordered_map<std::string, std::vector<std::size_t>> of_shape_;  // by the shape with its trainer, as it is printed
};

}  // namespace ordercheck
