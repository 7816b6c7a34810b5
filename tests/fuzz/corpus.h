// Files of this checkout as samples, and a folder for formats that are read from a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ordercheck::fuzz {

// Of all files below a folder of the checkout, sorted by path.
std::vector<std::string> texts_below(const std::filesystem::path& folder, const std::string& extension);

// Tables of evidence, each its head and a few rows: damage to a long table only repeats itself.
std::vector<std::string> tables_corpus();

// Of this process, gone with it.
const std::filesystem::path& scratch_folder();

// A file of these bytes, without waiting for the disk as replace_file does. False where there is no room: no finding.
bool write_sample(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ordercheck::fuzz
