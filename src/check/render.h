// A report as text and as JSON.
#pragma once

#include <string>

#include "check/finding.h"

namespace ordercheck {

// How much of a report is told.
//   line    one line: how many findings, their rules, the repaired stack
//   screen  the format of design section 6; where that is longer than a screen, two lines a finding, one that every finding shares
//           told once, and ids alone of what is beyond the screen
//   all     the format of design section 6, whatever its length
enum class Detail { line, screen, all };

// Ends in a newline. `colour`: ANSI, for terminals.
std::string render_text(const Report& report, bool colour, Detail detail = Detail::screen);

// One object: stack, target, findings, conflict, repaired, errors, advice. Two spaces of indent, a newline at the end.
std::string render_json(const Report& report);

// "2 errors, 1 advisory"; "" of none.
std::string in_words(const Counts& counts);

// "Nothing is known of ep on <engine and version>: no run there has it. <another project and version>: 3 errors."
std::string in_words(const Unknown& unknown, const Target& target);

std::string ordinal(std::size_t index);  // "1st" of 0

}  // namespace ordercheck
