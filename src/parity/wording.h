// A difference as a message says it: decimals, and how far apart they are; bits and hashes are for JSON.
#pragma once

#include <optional>
#include <string>

#include "parity/difference.h"
#include "parity/record.h"

namespace ordercheck {

// The two numbers of a difference in decimals, "5.13958" and "5.15664", and how far apart they are, "0.0171"; "" where that is no
// number. Nothing of a tensor, of which a record knows hashes.
struct Numbers {
  std::string got, expected, apart;
};
std::optional<Numbers> numbers_of(const Difference& difference);

// "loss of step 0 on rank 0 is 5.13958, the single-rank reference has 5.15664, 0.0171 apart"; of a tensor, of which a record
// knows hashes, "gradient of output.weight of step 0 is not that of the single-rank reference".
std::string in_words(const Difference& difference, const std::string& against);

// How a run ended that did not complete, and where: "failed (apply, layers.0.attention, rank 1): the message".
std::string ending_in_words(const Record& record);

}  // namespace ordercheck
