#include <algorithm>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "record/evidence_table.h"

namespace ordercheck {
namespace {

// Sorted by path; empty if the folder does not exist.
Result<std::vector<std::filesystem::path>> tables_below(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::exists(folder, error)) return paths;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
       !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".tsv") paths.push_back(entry->path());
  if (error) return Error{fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
  std::ranges::sort(paths);
  return paths;
}

// Reads up to the line of column names.
std::string head_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string head;
  for (std::string line; std::getline(file, line);) {
    head += line + "\n";
    if (!line.starts_with('#')) break;
  }
  return head;
}

}  // namespace

std::filesystem::path evidence_path(const std::filesystem::path& folder, const EvidenceTable& table) {
  return folder / table.engine / (build_of(table) + ".tsv");
}

Status write_evidence(const std::filesystem::path& folder, const EvidenceTable& table) {
  const auto path = evidence_path(folder, table);
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    return Error{fmt::format("cannot make the folder {}: {}; name a writable folder with --matrix", path.parent_path().string(),
                             error.message())};
  return replace_file(path, print_evidence(table));
}

Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder) {
  return read_evidence(folder, [](const EvidenceTable&, std::string_view) { return Reading::whole; });
}

Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder, const ReadingOf& reading_of) {
  const auto paths = tables_below(folder);
  if (!paths) return paths.error();
  std::vector<EvidenceTable> tables;
  for (const auto& path : *paths) {
    // Read the head first: many tables are skipped whole.
    const auto head = parse_evidence(head_of_file(path), path.string());
    if (head && reading_of(*head, "") == Reading::skip) continue;
    auto text = read_file(path);
    if (!text) return text.error();
    auto table = parse_evidence(*text, path.string(), reading_of);
    if (!table) return table.error();
    tables.push_back(std::move(table).value());
  }
  return tables;
}

Result<std::vector<EvidenceTable>> read_evidence_heads(const std::filesystem::path& folder) {
  const auto paths = tables_below(folder);
  if (!paths) return paths.error();
  std::vector<EvidenceTable> tables;
  for (const auto& path : *paths) {
    auto table = parse_evidence(head_of_file(path), path.string());
    if (!table) return table.error();
    tables.push_back(std::move(table).value());
  }
  return tables;
}

}  // namespace ordercheck
