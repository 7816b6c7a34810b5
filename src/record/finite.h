// Finds losses and gradient norms that are not finite, and runs that exceeded the range of exact arithmetic although the
// reference did not.
#pragma once

#include <optional>

#include "record/difference.h"

namespace ordercheck {

// The first NaN or infinite loss or gradient norm, in Difference::got; nullopt if all are finite. Gradients need no check of
// their own, since their norm would not be finite. The run must have completed.
std::optional<Difference> first_not_finite(const Record& record);

// Whether `got` exceeded the range of exact arithmetic although a correct layout cannot. A correct layout sums the same terms
// as `expected` in other groups, so no partial sum is larger. But the range check multiplies each bound by the number of
// ranks. So the result is true only if the reference's range_used times the ranks is below 1.
bool left_range_alone(const Record& expected, const Record& got);

// Whether `got` exceeded the range of exact arithmetic or has NaN or infinite numbers, and the single-rank reference
// `expected` does not.
bool left_numbers_alone(const Record& expected, const Record& got);

}  // namespace ordercheck
