// Computes the verdict on a case from its record and the runs that it is compared with.
#pragma once

#include <optional>
#include <vector>

#include "record/observation.h"
#include "stack/case.h"

namespace ordercheck {

// Whether the case is compared bitwise with the single-rank run. Exact arithmetic: if parity_owed is set. Plain arithmetic:
// always, because the control expects a difference. float32: never.
bool is_held_against_one_rank(const Case& c, const Record& record);

// Whether the case is compared by distance to a noise floor: true in float32 arithmetic.
bool is_held_against_noise_floor(const Case& c);

// Extra float32 runs of a case with a compiler. In exact arithmetic the compiler does not run its generated code; in float32
// it does. Effects, counters and collectives of the case come from these runs. Their numbers are compared by the noise floor.
struct CompilerCode {
  Record with;
  std::vector<std::optional<Record>> twins;  // one per item; nullopt if that run did not complete
  std::optional<Closeness> closeness = {};   // of `with`, if it completed
};

struct Comparison {
  Case subject;
  Record first;                                    // the subject
  std::optional<Record> again;                     // the same case, run again
  std::optional<Record> reference;                 // one rank without layout transforms
  std::optional<Record> recommended;               // same mesh, recommended order; nullopt if the subject has that order
  std::vector<std::optional<Record>> twins;        // one per item; nullopt if that run did not complete
  std::optional<Closeness> closeness = {};         // in float32 arithmetic
  std::optional<CompilerCode> compiler_code = {};  // if exact arithmetic does not run the compiler's own code
};

// Returns the verdict with its details, as an observation without engine and version. A case whose first run did not complete
// gets its verdict from that run alone. Otherwise the first failing check decides, in this order:
// - the second run completes with a bitwise equal record
// - losses and norms are finite if the reference's are
// - equal to the reference, or in float32 not far from it
// - replicas agree; trainable parameters change
// - equal to the recommended order, if one rank does not decide
// - has a noise floor
// - generated code in float32 (CompilerCode): completes, not far from one rank, replicas agree, has a noise floor
// - every transform has its effect
Observation judge(const Comparison& comparison);

// Whether the case is bitwise equal in exact arithmetic, but the compiler's generated code differs in float32.
bool differs_in_compiler_code(const Comparison& comparison);

}  // namespace ordercheck
