// The words of a finding.
#pragma once

#include "check/check.h"
#include "rule/match.h"

namespace ordercheck {

// A finding without repair and folding.
Finding describe(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge);

// "fails while applying, \"Cannot distribute a DTensor\"", "other numbers": what running the witness shows, with what the
// page pins for the target.
std::string shows(const Rule& rule, const Target& target);

// What the page says that the items of the firing show on the target.
Verdict shown_verdict(const Rule& rule, const Firing& firing, const Stack& stack, const Target& target);

}  // namespace ordercheck
