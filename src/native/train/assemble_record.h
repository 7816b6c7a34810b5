// Combines the tensor pieces of all ranks into a record of full tensors, after the world ended.
#pragma once

#include <string>
#include <vector>

#include "native/train/rank_result.h"
#include "record/messages.h"
#include "record/record.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

// Fills the record's steps, parameters, collectives, counters, notes and, if the run keeps values, the trace and its files.
// `results` has one entry per rank. Parameters get the order of `model_parameters`, (name, initial value) in the model as
// built. Throws if pieces do not fit together, because a transform declared a wrong placement, or if a value file cannot be
// written.
void assemble_record(const Run& run, const Mesh& mesh, const std::vector<RankResult>& results,
                     const std::vector<std::pair<std::string, at::Tensor>>& model_parameters, Record& record);

}  // namespace ordercheck::ranks
