// --subject PROJECT@VERSION: for one release another word for --engine PROJECT, which it says on stderr.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "protocol/messages.h"

namespace ordercheck::cli {

void add_subject_option(CLI::App* command, std::string& subject);

// The engine that is meant: the project of `subject` where one was given, else `engine`. An error where the two differ.
Result<std::string> engine_of_subject(const std::string& subject, const std::string& engine);

// An error where the engine is of another version than the one that `subject` names.
Status check_version(const std::string& subject, const Hello& hello);

}  // namespace ordercheck::cli
