// The word for what a run of a case showed. Undecided is never green.
#pragma once

#include <optional>
#include <string>

#include "base/enum.h"
#include "parity/difference.h"
#include "parity/record.h"

namespace ordercheck {

//   equal     bitwise equal to the single-rank reference, and every transform had its effect: a word of exact arithmetic alone.
//             Code that a compiler wrote was run in float32 besides, and was close
//   close     float32 arithmetic: no farther from a float64 single-rank run than rounding explains, and every transform had
//             its effect
//   differs   it ran, and at least one bit owed is not there, or it is farther from one rank than rounding explains, or it
//             has a NaN, an infinity or a range exit where one rank has none
//   fails     it raised, or its ranks disagreed about a collective, or the worker died of it
//   hangs     its ranks waited for each other for ever, or until the clock ran out
//   ignored   bitwise equal, but a transform silently had no effect, or only a part of it
//   unstable  not even equal to itself
//   unrun     undecided: nothing ran, or SIGKILL ended it; one rank's numbers are not finite or left the range of exact arithmetic too, or float32
//             arithmetic has no noise floor
ORDERCHECK_ENUM(Verdict, equal, close, differs, fails, hangs, ignored, unstable, unrun)

// What the rules mean by `equal`, as far as a run's arithmetic can show it: equal, or close.
bool shows_parity(Verdict verdict);

// A difference as a message says it: decimals, and how far apart they are; bits and hashes are for JSON.

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
