// Ablation: which transforms a wrong or failing stack needs to be so. The stacks without one item were run already, for effects.
#pragma once

#include <string>
#include <vector>

#include "trial/trial.h"

namespace ordercheck {

// Of a stack of several the items, printed, without any one of which the stack is bitwise equal to the same reference. In exact arithmetic; not of items
// that change numbers themselves, without which another reference would be owed. Once the first runs are there.
std::vector<std::string> right_without(const Trial& trial);

}  // namespace ordercheck
