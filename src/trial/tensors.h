// Where two runs part: their tensors, kept once a difference is certain, held against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "parity/record.h"
#include "plan/result.h"
#include "trial/trial.h"

namespace ordercheck {

// Whether what differs can be looked for tensor by tensor: it was compared bit for bit, not by its distance.
bool is_bitwise(const CaseResult& differing);

// What a differing case is held against: the reference, or the recommended order where one rank is no judge.
const PendingRun& counterpart_of(const Layouts& layouts);

// Both sides once more with their tensors kept, up to the step in which they part: later steps add nothing.
void ask_tensors(Trial& trial, const Observation& seen, Runs& runs);

// The first tensor that parts, and in the message the numbers of what differs first: a record has hashes alone.
Status tell_tensors(const Trial& trial, CaseResult& differing);

// The tensor of step `step` that both sides call so: how far apart its numbers are. Nothing where one side has none.
Result<std::optional<Divergence>> divergence_of(const std::string& tensor, int step, const Record& expected, const Record& got);

// The first entry, in the order in which `expected` executed, whose bits `got` does not share. Entries that only one side has
// are passed over. Nothing when all shared agree; an error when a file of values cannot be read.
Result<std::optional<Divergence>> first_divergence(const Record& expected, const Record& got);

// Of gradients of a step that are all one whole multiple or part of those owed: "2 times the owed gradient in all 29 gradients of
// step 0: divided by another degree?". Else "".
Result<std::string> common_factor(const Record& expected, const Record& got, int step);

// Tensors that an engine kept in files.

// A file of raw little-endian float64.
Result<std::vector<double>> read_values(const std::string& path);

// What to say of two files that should hold as many numbers.
std::string unlike_sizes(const TraceEntry& expected, std::size_t owed, const TraceEntry& got, std::size_t seen);

}  // namespace ordercheck
