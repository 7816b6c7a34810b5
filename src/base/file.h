// Files, read whole and replaced whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// The whole file, or an error naming path and reason.
Result<std::string> read_file(const std::filesystem::path& path);

// Writes beside `path`, syncs, then renames over it: a reader sees the old file or the new one, never a torn one.
Status replace_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace ordercheck
