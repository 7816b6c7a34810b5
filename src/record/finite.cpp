#include "record/finite.h"

#include <cmath>

namespace ordercheck {
namespace {

std::optional<Difference> not_finite_among(const char* what, int step, const std::vector<Bits64>& numbers) {
  for (std::size_t rank = 0; rank < numbers.size(); ++rank)
    if (!std::isfinite(value_of(numbers[rank])))
      return Difference{.what = what, .step = step, .rank = static_cast<int>(rank), .expected = "", .got = hex(numbers[rank])};
  return std::nullopt;
}

bool is_finite(const Record& record) { return record.ending == Ending::completed && !first_not_finite(record); }

}  // namespace

std::optional<Difference> first_not_finite(const Record& record) {
  assert(record.ending == Ending::completed);
  for (std::size_t step = 0; step < record.steps.size(); ++step) {
    const auto number = static_cast<int>(step);
    if (auto loss = not_finite_among("loss", number, record.steps[step].loss)) return loss;
    if (auto norm = not_finite_among("gradient norm", number, record.steps[step].gradient_norm)) return norm;
  }
  return std::nullopt;
}

bool left_range_alone(const Record& expected, const Record& got) {
  return got.ending == Ending::out_of_range && is_finite(expected) && expected.range_used * got.world_size < 1;
}

bool left_numbers_alone(const Record& expected, const Record& got) {
  const bool not_finite = got.ending == Ending::completed && first_not_finite(got);
  return left_range_alone(expected, got) || (not_finite && is_finite(expected));
}

}  // namespace ordercheck
