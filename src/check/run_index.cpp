#include "check/run_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {

RunIndex::RunIndex(std::vector<TargetRun> runs) : runs_(std::move(runs)) {
  for (std::size_t place = 0; place < runs_.size(); ++place) {
    const Stack shape = without_degrees(runs_[place].ran.stack);
    as_ran_[print(shape)].push_back(place);
    Stack before = shape;
    if (!before.items.empty()) before.items.pop_back();
    if (is_trained_form_of(shape, before)) before_training_[print(before)].push_back(place);
  }
}

std::vector<std::size_t> RunIndex::of_shape(const Stack& shape) const {
  const std::string text = print(shape);
  std::vector<std::size_t> places;
  const auto as_it_is = as_ran_.find(text);
  const auto trained = before_training_.find(text);
  static const std::vector<std::size_t> none;
  std::ranges::merge(as_it_is == as_ran_.end() ? none : as_it_is->second,
                     trained == before_training_.end() ? none : trained->second, std::back_inserter(places));
  return places;
}

}  // namespace ordercheck
