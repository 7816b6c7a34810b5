#include "record/engine_sources.h"

#include <algorithm>
#include <system_error>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kQuotes = "\"\"\"";

bool is_source(const fs::path& path) { return path.extension() == ".py" || path.extension() == ".tsv"; }

std::size_t count_quotes(std::string_view line) {
  std::size_t count = 0;
  for (auto at = line.find(kQuotes); at != line.npos; at = line.find(kQuotes, at + kQuotes.size())) ++count;
  return count;
}

// A string is a docstring if it begins the file or follows a line that ends in a colon.
std::string only_code(const std::string& text) {
  std::string code, last_words;
  bool in_string = false, is_docstring = false;
  for (const std::string& line : split(text, '\n')) {
    const std::string words(trim(line));
    const bool was_in_string = in_string;
    const std::size_t quotes = count_quotes(words);
    if (!in_string) is_docstring = words.starts_with(kQuotes) && (last_words.empty() || last_words.ends_with(':'));
    if (quotes % 2 == 1) in_string = !in_string;
    if (is_docstring || (!was_in_string && (words.empty() || words.starts_with('#')))) continue;
    code += line + "\n";
    last_words = words;
  }
  return code;
}

// "thing 0.3.1" -> "release_0_3"
std::string folder_of_release(const std::string& version) {
  const auto numbers = split(version.substr(version.rfind(' ') + 1), '.');
  return numbers.size() < 2 ? "" : "release_" + numbers[0] + "_" + numbers[1];
}

bool is_of_another_release(const fs::path& file, const std::string& folder) {
  return std::ranges::any_of(file,
                             [&](const fs::path& part) { return part.string().starts_with("release_") && part != folder; });
}

}  // namespace

std::string hash_of_sources(const fs::path& home, const std::vector<std::string>& paths, const std::string& version) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const std::string& path : paths) {
    if (fs::is_regular_file(home / path, failed)) files.push_back(home / path);
    // This fails for a regular file, which is in the list already.
    auto entry = fs::recursive_directory_iterator(home / path, failed);
    if (failed && !fs::is_regular_file(home / path)) return "";
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed))
      if (is_source(entry->path())) files.push_back(entry->path());
  }
  std::erase_if(files, [&, folder = folder_of_release(version)](const fs::path& file) {
    return is_of_another_release(file.lexically_relative(home), folder);
  });
  // Folders are iterated in unspecified order.
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    if (!text) return "";
    // With the path, so that moving code between files changes the hash.
    all += fs::relative(file, home).generic_string() + "\n" + only_code(*text);
  }
  return hex(hash_of(all)).substr(0, 16);
}

bool is_stale(const Observation& row, const std::string& sources) {
  return !sources.empty() && !row.sources.empty() && row.sources != sources;
}

}  // namespace ordercheck
