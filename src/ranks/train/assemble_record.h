// From every rank's pieces to a record of full tensors.
#pragma once

#include <string>
#include <vector>

#include "parity/record.h"
#include "protocol/messages.h"
#include "ranks/train/rank_result.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

// Fills steps, parameters, collectives, counters, notes and, with Keep::values, the trace with its files. `results` has one
// entry a rank. Parameters come in the order of `model_parameters`: (name, initial value) of the model as built.
// Throws when pieces do not fit together (a transform placed them wrongly) or a value file cannot be written.
void assemble_record(const Run& run, const Mesh& mesh, const std::vector<RankResult>& results,
                     const std::vector<std::pair<std::string, at::Tensor>>& model_parameters, Record& record);

}  // namespace ordercheck::ranks
