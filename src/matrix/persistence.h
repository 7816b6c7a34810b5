// A difference counts when it persists on other data and on another grid; then its first tensor is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matrix/comparison.h"
#include "matrix/outcome.h"

namespace ordercheck {

// The cases that a difference is looked for in again: another seed, and, in exact arithmetic, the coarser grid 2^-18.
std::vector<Case> variants_of(const Case& c);

// Wants the variants of a case that differs, and what each of them is held against.
void want_variants(Batch& batch, const Case& c, const Recommend& recommend);

// Whether the difference is there in every variant. `how` gets "also with seed 2, also on the grid 2^-18", or in which
// variant it is not. An error when a file of values cannot be read.
Result<bool> persists(const Batch& batch, const Case& c, const Recommend& recommend, std::string& how);

// What a differing case is held against: the reference, or the recommended order where one rank is no judge.
Case counterpart_of(const Batch& batch, const Case& c, const Recommend& recommend);

// Whether what differs can be looked for tensor by tensor: it was compared bit for bit.
bool is_bitwise(const Judgement& differing);

// Wants both sides of a pair with their tensors kept.
void want_tensors(Batch& batch, const Case& c, const Case& counterpart);

// The tensor of step `step` that both sides call so: how far apart its numbers are. Nothing where one side has none.
Result<std::optional<Divergence>> divergence_of(const std::string& tensor, int step, const Record& expected, const Record& got);

// The first entry, in the order in which `expected` executed, whose bits `got` does not share. Entries that only one
// side has are passed over. Nothing when all shared agree; an error when a file of values cannot be read.
Result<std::optional<Divergence>> first_divergence(const Record& expected, const Record& got);

}  // namespace ordercheck
