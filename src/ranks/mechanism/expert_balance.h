// Moving the biases by which experts are chosen, as a trainer does before its optimizer's step: after torchtitan's
// _update_expert_bias.
#pragma once

#include <string>
#include <vector>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// Of every mixture of experts in the model: an expert with fewer tokens than the mean is favoured by a fixed step, one with more is
// held back. Tokens are counted over the ranks along `axes`, each of which has others. Counts start anew.
void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes);

}  // namespace ordercheck::ranks
