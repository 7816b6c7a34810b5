// Finds the first tensor, in execution order, that differs between a case and its reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/case_trial.h"
#include "matrix/plan_result.h"
#include "record/record.h"

namespace ordercheck {

// Whether the case was compared bitwise and not by distance. Only then is there a first differing tensor.
bool is_bitwise(const CaseResult& differing);

// The run that a differing case is compared with: the single-rank reference, or the recommended order if the stack casts and
// so differs from one rank anyway.
const PendingRun& counterpart_of(const Layouts& layouts);

// Requests reruns of the differing case and of its reference that keep their tensors, up to the step with the first
// difference.
void ask_tensors(Trial& trial, const Observation& seen, Runs& runs);

// After these reruns, sets `differing.divergence` to the first differing tensor. Also adds the numbers of the first difference
// to the message, since records have only hashes of tensors.
Status tell_tensors(const Trial& trial, CaseResult& differing);

// The difference of the tensor with this name in `step`. nullopt if either run did not keep it.
Result<std::optional<Divergence>> divergence_of(const std::string& tensor, int step, const Record& expected, const Record& got);

// The first traced tensor, in the execution order of `expected`, that is not bitwise equal in `got`. Skips tensors that only
// one run traced. nullopt if all others agree; an error if a file of tensors cannot be read.
Result<std::optional<Divergence>> first_divergence(const Record& expected, const Record& got);

// If all differing gradients of a step are the same whole multiple, or fraction, of the expected ones, describes the factor:
// "2 times the owed gradient in all 29 gradients of step 0: divided by another degree?". "" otherwise.
Result<std::string> common_factor(const Record& expected, const Record& got, int step);

// Reads tensors that a worker wrote to files (Keep::values).

// Reads a file of raw little-endian float64.
Result<std::vector<double>> read_values(const std::string& path);

// The error message for two files with different numbers of values.
std::string unlike_sizes(const TraceEntry& expected, std::size_t owed, const TraceEntry& got, std::size_t seen);

}  // namespace ordercheck
