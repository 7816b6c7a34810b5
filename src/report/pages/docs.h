// The generated documents of a checkout, and which of them are stale.
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

// The pages in docs/ that evidence writes, rules/README.md, and what is filled in: the runs at the end of each rule's page, and
// README.md where it has blocks. From the rules, evidence and templates below `root`. Sorted by path. Same files, same bytes.
// An error too where a table of traffic and the one beside it differ, and the space does not say why (traffic_view.h).
Result<std::vector<Document>> make_documents(const std::filesystem::path& root);

// Why the recommended orders of the page are no answer yet, a line each; see order_view.h.
Result<std::vector<std::string>> gaps_in_orders(const std::filesystem::path& root);

// What lies below `root` otherwise than `documents` say: a unified diff a document.
struct Stale {
  std::string path;
  std::string diff;
};
Result<std::vector<Stale>> stale_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// Writes what is stale; gives back the paths that it touched.
Result<std::vector<std::string>> write_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// `text` with what stands between the line `begin` and `<!-- end -->` replaced by `block`. A text without the first line comes back
// as it is; an error, which names `file`, when the block has no end.
Result<std::string> with_block(std::string_view text, std::string_view begin, std::string_view block, std::string_view file);

}  // namespace ordercheck
