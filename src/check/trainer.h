// What pages say of the trainer of a stack that names none: the stack is legal, and clips as every README has it.
#pragma once

#include <vector>

#include "check/check.h"

namespace ordercheck {

// Of the default trainer (stack/trainer.h) in this stack, one a rule that fires on it. Empty where the stack names an
// optimizer. Never an error: the reader's trainer may be another.
std::vector<TrainerAdvice> trainer_advice(const Stack& stack, const Judge& judge);

// Transforms that nothing is known of for the target. A check that finds nothing against them has not judged them.

// Each transform of the stack that the judge does not know, with what the pages of other projects find in this stack. In the
// order of the stack, one a transform.
std::vector<Unknown> unknown_in(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
