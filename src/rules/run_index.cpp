#include "rules/run_index.h"

#include <utility>

#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {

RunIndex::RunIndex(std::vector<TargetRun> runs) : runs_(std::move(runs)) {
  for (std::size_t place = 0; place < runs_.size(); ++place)
    of_shape_[print(without_degrees(with_trainer(runs_[place].ran.stack)))].push_back(place);
}

std::vector<std::size_t> RunIndex::of_shape(const Stack& shape) const {
  const auto found = of_shape_.find(print(with_trainer(shape)));
  return found == of_shape_.end() ? std::vector<std::size_t>{} : found->second;
}

}  // namespace ordercheck
