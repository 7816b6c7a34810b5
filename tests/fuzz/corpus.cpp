#include "fuzz/corpus.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "base/file.h"

namespace ordercheck::fuzz {

namespace fs = std::filesystem;

std::vector<std::string> texts_below(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(ORDERCHECK_SOURCE_DIR) / folder, failed))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const fs::path& file : files)
    if (auto text = read_file(file)) texts.push_back(std::move(text).value());
  return texts;
}

std::vector<std::string> tables_corpus() {
  std::vector<std::string> texts = texts_below("matrix/evidence", ".tsv");
  for (std::string& text : texts) {
    std::size_t end = 0;
    for (int lines = 0; lines < 20 && end != text.npos; ++lines) end = text.find('\n', end + 1);
    if (end != text.npos) text.resize(end + 1);
  }
  for (const std::string& text : texts_below("tests/data/mini/matrix/evidence", ".tsv")) texts.push_back(text);
  return texts;
}

const fs::path& scratch_folder() {
  struct Scratch {
    fs::path folder = fs::temp_directory_path() / fmt::format("ordercheck-fuzz-{}", getpid());
    Scratch() { fs::create_directories(folder); }
    ~Scratch() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  };
  static const Scratch scratch;
  return scratch.folder;
}

bool write_sample(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

}  // namespace ordercheck::fuzz
