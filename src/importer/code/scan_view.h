// What scanned code says, for people and for programs.
#pragma once

#include <string>

#include "importer/code/scan.h"

namespace ordercheck {

// A paragraph a stack: where its function is, the stack, and each item with its place and its condition; then what was not
// understood, files that were not read, and a line that counts.
std::string render_scan_text(const ScannedCode& code);

std::string render_scan_json(const ScannedCode& code);  // schema "ordercheck/scan/1"

}  // namespace ordercheck
