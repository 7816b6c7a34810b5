// Reports what rules say about gradient clipping under a stack, and which of its transforms have no run.
#pragma once

#include <vector>

#include "rules/check.h"

namespace ordercheck {

// What would go wrong if the user's trainer clips gradients with clip_grad_norm_, one per rule that fires then. Empty if the
// stack names an optimizer. Only advice, since the user's trainer may not clip.
std::vector<TrainerAdvice> trainer_advice(const Stack& stack, const Judge& judge);

// Each transform of the stack for which judge.knows() is false, with the number of findings that other projects' rules have
// for this stack. In stack order, without duplicates.
std::vector<Unknown> unknown_in(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
