// Renders an imported file: its stack item by item, and what was not understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"

namespace ordercheck::cli {

std::string render_import_text(const Imported& imported);

// The settings of the file that were not understood: a heading and one line each; "" if everything was understood. Of a
// recording also what its first step showed.
std::string render_not_understood(const Imported& imported);

// The order for each kind of module of a recording: a heading and one line each; "" for other files.
std::string render_families(const Imported& imported);

// One error line per combination of settings that the project (axolotl, ...) itself rejects, and per call of a recording that
// had no effect; "" if there is none.
std::string refusals_of(const Imported& imported);

bool is_recorded(const Imported& imported);

// Whether a recording has calls that were not understood, so that a check without findings is undecided.
bool leaves_open(const Imported& imported);

std::string render_import_json(const std::vector<Imported>& all);

// The end of a report on an imported stack: the places of its items, and what was not understood.
std::string render_import_below(const Imported& imported);

// Wraps a JSON answer with the imported file. Item indices in the answer refer to the items of `imported`.
std::string with_imported(std::string_view answer, const Imported& imported);

}  // namespace ordercheck::cli
