// TOML as this project reads it: the library, and a way in that whatever bytes it is given ends in a table or a mistake.
#pragma once

// One implementation for all, made in toml.cpp.
#define TOML_HEADER_ONLY 0
#include <optional>
#include <string>
#include <string_view>

#include <toml++/toml.h>

namespace ordercheck {

struct TomlMistake {
  toml::source_index line = 1;
  std::string what;
};

// Fills `table`; leaves it empty where the text is no TOML. Nodes of a copy of it have lost their lines: move it.
std::optional<TomlMistake> parse_toml(std::string_view text, toml::table& table);

}  // namespace ordercheck
