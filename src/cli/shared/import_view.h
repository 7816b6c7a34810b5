// What was read of another project's file: its stack item by item, and what was not understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "importer/imported.h"

namespace ordercheck::cli {

std::string render_import_text(const Imported& imported);

// A line each, behind a headline; "" where all was understood.
std::string render_not_understood(const Imported& imported);

// A line for each combination that the project itself raises on; "" if there is none.
std::string refusals_of(const Imported& imported);

std::string render_import_json(const std::vector<Imported>& all);

// Where the items of a stack stand, and what was not understood: what a report on an imported stack ends with.
std::string render_import_below(const Imported& imported);

// An answer in JSON and what it is about: indices of items in the answer are those of the items here.
std::string with_imported(std::string_view answer, const Imported& imported);

}  // namespace ordercheck::cli
