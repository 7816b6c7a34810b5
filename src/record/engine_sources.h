// Hashes the Python sources of an engine's driver. An evidence row stores the hash, because its result also depends on the
// driver.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/observation.h"

namespace ordercheck {

// Hashes all .py and .tsv files below `paths` (files and folders below `home`) to 16 hex digits. Skips blank lines, comments
// and docstrings. A folder release_0_3 (driver code for release 0.3 of a project) counts only if `version` is a 0.3, such as
// "thing 0.3.1". "" if a path is missing, as in an installation without sources.
std::string hash_of_sources(const std::filesystem::path& home, const std::vector<std::string>& paths,
                            const std::string& version);

// Whether the evidence row was recorded with driver sources other than `sources`. False if either hash is unknown.
bool is_stale(const Observation& row, const std::string& sources);

}  // namespace ordercheck
