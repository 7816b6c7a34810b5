// Says whose code ran when a case failed or hung: the user's function, or ordercheck's trainer.
#pragma once

#include <string>

#include "record/record.h"
#include "stack/case.h"

namespace ordercheck {

// "your function mine.parallel:shard (--apply), or code that it called"; "ordercheck's trainer, gradient clipping or
// optimizer.step()". The phase is all that a record has of the call, so PyTorch below it is not told apart.
std::string failed_in(const Case& c, Phase phase);

}  // namespace ordercheck
