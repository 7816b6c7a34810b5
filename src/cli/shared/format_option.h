// Adds the options for the output format.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace ordercheck::cli {

// Adds --format with text and json. `format` holds the default and receives the value; it must outlive `command`.
void add_format_option(CLI::App& command, std::string& format);

// Adds the flag --json, short for --format json.
void add_json_flag(CLI::App& command, std::string& format);

}  // namespace ordercheck::cli
