// One case and everything its verdict is made of: which runs are needed, and the judgement of their records.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "matrix/batch.h"
#include "parity/verdict.h"

namespace ordercheck {

// The recommended order of a stack's items; nothing where the rules give none.
using Recommend = std::function<std::optional<Stack>(const Stack&)>;

// The same case in the recommended order; nothing when it is written so already, or when a function of the user's does
// what the stack says: its order is in the function, and nothing here can write it otherwise.
std::optional<Case> recommended_of(const Case& c, const Recommend& recommend);

// Wants the first runs: the case, its reference, its recommended order, and the twin of every item (none where a function
// of the user's applies them: it leaves nothing out).
void want_first_runs(Batch& batch, const Case& c, const Recommend& recommend);

// Wants the second run of the case itself, and in native arithmetic what its distances are held against. Only for a case that
// completed.
void want_again(Batch& batch, const Case& c);

// All records of the above, as far as they were run. An error when a file of values cannot be read.
Result<Comparison> comparison_of(const Batch& batch, const Case& c, const Recommend& recommend);

}  // namespace ordercheck
