// What rows depend on beside their case and versions: the sources of the driver that ran them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parity/observation.h"

namespace ordercheck {

// 16 hex digits, of all .py and .tsv files below `paths`, which are files and folders below `home`. Lines without code are left out:
// blank ones, comments and docstrings. What lies in a folder release_0_3 counts where `version` is one of 0.3 alone ("thing 0.3.1"):
// a driver of several releases has a folder for each. "" where one of the paths is not there, as in an installation without sources.
std::string hash_of_sources(const std::filesystem::path& home, const std::vector<std::string>& paths,
                            const std::string& version);

// Whether the row was run by other sources than those with this hash. Not where the hash or that of the row is unknown.
bool is_stale(const Observation& row, const std::string& sources);

}  // namespace ordercheck
