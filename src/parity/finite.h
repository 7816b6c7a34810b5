// Where one layout alone left the numbers: a loss or norm that is none, or a range that one rank stays within.
#pragma once

#include <optional>

#include "parity/difference.h"

namespace ordercheck {

// The first loss or gradient norm that is a NaN or an infinity, with `got`. A gradient that is not finite makes its
// step's norm so. The record must have completed.
std::optional<Difference> first_not_finite(const Record& record);

// `got` ended out of range, and a right layout of what `expected` ran could not have. A right layout adds up the same
// terms in other groups, and a part of a sum of magnitudes is no larger than the whole; but the guard multiplies each
// bound by the ranks. So this holds where one rank's share of the range, times the ranks, is still below 1.
bool left_range_alone(const Record& expected, const Record& got);

// `got` left the range or the finite numbers, and `expected`, its single-rank reference, did neither.
bool left_numbers_alone(const Record& expected, const Record& got);

}  // namespace ordercheck
