// Defines the verdict on a run of a case. Undecided never counts as success.
#pragma once

#include <optional>
#include <string>

#include "base/enum.h"
#include "record/difference.h"
#include "record/record.h"

namespace ordercheck {

//   equal     bitwise equal to the single-rank reference, every transform has its effect; in exact arithmetic only. Code that
//             a compiler generates also ran in float32 and was close
//   close     float32: no farther from a float64 single-rank run than rounding explains, every transform has its effect
//   differs   it ran, but a bit differs, it is farther from one rank than rounding explains, or it alone has a NaN or
//             infinity or leaves the range
//   fails     it raised, its ranks disagreed about a collective, or the worker died of it
//   hangs     its ranks waited for each other for ever, or until the timeout
//   ignored   bitwise equal, but a transform silently had no effect, or only a part of it
//   unstable  two runs of it differ
//   unrun     undecided: nothing ran; SIGKILL ended it; one rank is not finite or leaves the range too; or float32 has no
//             noise floor
ORDERCHECK_ENUM(Verdict, equal, close, differs, fails, hangs, ignored, unstable, unrun)

// Whether the verdict fulfils a rule's prediction `equal`: equal, or close in float32 arithmetic.
bool shows_parity(Verdict verdict);

// The two numbers of a difference in decimals, "5.13958" and "5.15664", and their distance "0.0171" ("" if not finite). nullopt
// for tensors, which records keep as hashes only.
struct Numbers {
  std::string got, expected, apart;
};
std::optional<Numbers> numbers_of(const Difference& difference);

// "loss of step 0 on rank 0 is 5.13958, the single-rank reference has 5.15664, 0.0171 apart". For a tensor, known only by its
// hash: "gradient of output.weight of step 0 is not that of the single-rank reference".
std::string in_words(const Difference& difference, const std::string& against);

// How and where an incomplete run ended: "failed (apply, layers.0.attention, rank 1): the message".
std::string ending_in_words(const Record& record);

}  // namespace ordercheck
