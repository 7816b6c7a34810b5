// Generates the pages in docs/ and other generated text of a checkout, and finds files that differ from it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct Document {
  std::string path;  // below the root, with '/': "docs/projects.md"
  std::string contents;
  friend bool operator==(const Document&, const Document&) = default;
};

// Generates the pages in docs/ from evidence, rules/README.md, the runs at the end of each rule's page, and the blocks of
// README.md and docs/guide/install.md, if these exist. Reads the rules, evidence and templates below `root`. Sorted by path; same files, same bytes. Returns an error too
// if a traffic table differs from its counterpart and the space does not explain why (traffic_view.h).
Result<std::vector<Document>> make_documents(const std::filesystem::path& root);

// Why the recommended orders on the ordering page are incomplete (missing runs), one line per reason; see order_gaps in
// order_view.h.
Result<std::vector<std::string>> gaps_in_orders(const std::filesystem::path& root);

// A file below `root` that differs from what make_documents() generates, with a unified diff.
struct Stale {
  std::string path;
  std::string diff;
};
Result<std::vector<Stale>> stale_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// Writes the stale documents and returns their paths.
Result<std::vector<std::string>> write_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// Replaces the text between the line `begin` and `<!-- end -->` by `block`. Returns `text` unchanged if it has no line `begin`.
// Returns an error that names `file` if the block has no end.
Result<std::string> with_block(std::string_view text, std::string_view begin, std::string_view block, std::string_view file);

}  // namespace ordercheck
