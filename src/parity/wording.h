// A difference as a message says it: decimals, and how far apart they are; bits and hashes are for JSON.
#pragma once

#include <string>

#include "parity/verdict.h"

namespace ordercheck {

// "loss of step 0 on rank 0 is 5.13958, the single-rank reference has 5.15664, 0.0171 apart"; of a tensor, of which a record
// knows hashes, "gradient of output.weight of step 0 is not that of the single-rank reference".
std::string in_words(const Difference& difference, const std::string& against);

}  // namespace ordercheck
