// How an answer is printed.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace ordercheck::cli {

// --format with text and json. `format` is the default and takes what is asked for; it outlives `command`.
void add_format_option(CLI::App& command, std::string& format);

// --json, of a command whose --format takes json.
void add_json_flag(CLI::App& command, std::string& format);

}  // namespace ordercheck::cli
