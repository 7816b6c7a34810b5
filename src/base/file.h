// Reads, creates and replaces whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// Returns the whole file, or an error with path and reason.
Result<std::string> read_file(const std::filesystem::path& path);

// Writes a temporary file in the same folder, syncs it and renames it over `path`: a reader sees the old or the new file,
// whole.
Status replace_file(const std::filesystem::path& path, std::string_view contents);

// Like replace_file, but for a new file: an error if `path` exists, which is then unchanged. The file system must have hard
// links.
Status create_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace ordercheck
