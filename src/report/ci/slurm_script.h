// The cases of a plan as a batch script of Slurm, in which srun starts the ranks of each.
#pragma once

#include <string>
#include <vector>

#include "stack/case.h"

namespace ordercheck {

// A step for each number of ranks, with `ordercheck-ranks --env`, then the merge of what they wrote. Cases in float32 arithmetic are
// left out, and counted in a comment: launched ranks keep no tensors, which these are judged by.
std::string render_slurm_script(const std::vector<Case>& cases);

}  // namespace ordercheck
