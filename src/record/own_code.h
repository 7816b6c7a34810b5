// What verdicts on cases of a user's own code take into account.
#pragma once

#include <string>

#include "record/record.h"
#include "stack/case.h"

namespace ordercheck {

// Whether the user's own code decides which parameters are updated. The single-rank run then misses the same ones.
bool updates_by_own_code(const Case& c);

// Why a parameter of `got` cannot be compared: the stack or the user's function adds it on the ranks of the case, and `one_rank`
// lacks it. "" if there is no such parameter.
std::string added_on_several_ranks_only(const Case& c, const Record& got, const Record& one_rank);

}  // namespace ordercheck
