// Renders an imported file: its stack item by item, and what was not understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"

namespace ordercheck::cli {

std::string render_import_text(const Imported& imported);

// The settings of the file that were not understood: a heading and one line each; "" if everything was understood.
std::string render_not_understood(const Imported& imported);

// One line per combination of settings that the project (axolotl, ...) itself rejects; "" if there is none.
std::string refusals_of(const Imported& imported);

std::string render_import_json(const std::vector<Imported>& all);

// The end of a report on an imported stack: the places of its items, and what was not understood.
std::string render_import_below(const Imported& imported);

// Wraps a JSON answer with the imported file. Item indices in the answer refer to the items of `imported`.
std::string with_imported(std::string_view answer, const Imported& imported);

}  // namespace ordercheck::cli
