// The files of this checkout, for tests about its form.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace ordercheck::form {

struct SourceFile {
  std::string path;  // relative to the checkout: "src/base/text.h"
  std::vector<std::string> lines;
};

inline std::filesystem::path checkout() { return ORDERCHECK_SOURCE_DIR; }

inline std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

// Whole lines; a last line without its newline counts.
inline std::vector<std::string> lines_of(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return split(text, '\n');
}

// All files under one folder of the checkout, sorted. Build output and version control live beside these folders.
inline std::vector<SourceFile> files_under(const std::string& folder) {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(checkout() / folder)) {
    const std::string path = std::filesystem::relative(entry.path(), checkout()).generic_string();
    if (!entry.is_regular_file() || path.find("__pycache__") != std::string::npos) continue;
    const Result<std::string> text = read_file(entry.path());
    EXPECT_TRUE(text) << (text ? "" : text.error().message);
    if (text) files.push_back({path, lines_of(*text)});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace ordercheck::form
