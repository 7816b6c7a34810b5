// A report as text and as JSON.
#pragma once

#include <string>

#include "check/finding.h"

namespace ordercheck {

// The format of design section 6, ending in a newline. `colour`: ANSI, for terminals.
std::string render_text(const Report& report, bool colour);

// One object: stack, target, findings, conflict, repaired, errors, advice. Two spaces of indent, a newline at the end.
std::string render_json(const Report& report);

std::string ordinal(std::size_t index);  // "1st" of 0

}  // namespace ordercheck
