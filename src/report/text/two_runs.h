// Two outcomes of one engine beside each other.
#pragma once

#include <string>

#include "plan/result.h"

namespace ordercheck {

// A table of verdict, prediction, first tensor that parts from what it is held against, and every counter and collective
// that differs; a line a side where it is not equal; then whether the two have the same bits, or where they part first.
std::string render_two_runs(const CaseResult& left, const CaseResult& right, const Hello& hello);

}  // namespace ordercheck
