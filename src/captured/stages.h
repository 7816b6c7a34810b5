// A captured graph behind each of its passes, in the order of a record: as it was recorded, then behind one pass, behind two ... What was
// captured next begins again without a pass.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "parity/graph_record.h"

namespace ordercheck::captured {

using Stages = std::vector<GraphRecord>;  // of one capture; the last one is run

std::vector<Stages> captures_of(const std::vector<GraphRecord>& graphs);

// The place among `ran` of the pass of this name: its first time, or with ":2" behind the name its second. An error where it did not run.
Result<std::size_t> place_of_pass(const std::vector<std::string>& ran, const std::string& name);

}  // namespace ordercheck::captured
