// Renders the report of `ordercheck check` as text and as JSON.
#pragma once

#include <string>

#include "rules/finding.h"

namespace ordercheck {

// How much of a report to print.
//   line    one line: number of findings, their rules, the repaired stack
//   screen  the format of design section 6. If longer than a screen: two lines per finding, shared cures once, and only ids
//           for what does not fit
//   all     the format of design section 6, whatever its length
enum class Detail { line, screen, all };

// Ends in a newline. `colour`: ANSI codes for terminals.
std::string render_text(const Report& report, bool colour, Detail detail = Detail::screen);

// One object: stack, target, findings, conflict, repaired, errors, advice. Indents by two blanks and ends in a newline.
std::string render_json(const Report& report);

// "Not asked (--ignore FIT): FIT-002 (error); 3 rules not judged."; "" if every rule is asked.
std::string in_words(const NotAsked& left_out);

// What a verdict without findings is limited to: " in what was asked and could be judged"; "" if every rule was asked and judged.
std::string scope_in_words(bool is_selected, bool is_open);

// "2 errors, 1 advisory"; "" if there are none.
std::string in_words(const Counts& counts);

// "Nothing is known of ep on <engine and version>: no run there has it. <another project and version>: 3 errors."
std::string in_words(const Unknown& unknown, const Target& target);

std::string ordinal(std::size_t index);  // 0 -> "1st"

}  // namespace ordercheck
