// The generated documents of a checkout, and which of them are stale.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct Document {
  std::string path;  // below the root, with '/': "docs/rules/fsdp-before-tp.md"
  std::string contents;
  friend bool operator==(const Document&, const Document&) = default;
};

// docs/parallelism_ordering.md, the pages in docs/rules/, docs/evidence/ and docs/threads/, and README.md where it has
// blocks to fill, from the rules, evidence and templates below `root`. Sorted by path. Same files, same bytes.
// An error too where a table of traffic and the one beside it differ, and the space does not say why (beside_view.h).
Result<std::vector<Document>> make_documents(const std::filesystem::path& root);

// Why the recommended orders of the page are no answer yet, a line each; see order_runs.h.
Result<std::vector<std::string>> gaps_in_orders(const std::filesystem::path& root);

// What lies below `root` otherwise than `documents` say: a unified diff a document. A page in a
// generated folder that nothing makes any more is stale too: its contents ought to be none.
struct Stale {
  std::string path;
  std::string diff;
  bool to_remove = false;
};
Result<std::vector<Stale>> stale_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// Writes what is stale and removes what nothing makes; gives back the paths that it touched.
Result<std::vector<std::string>> write_documents(const std::filesystem::path& root, const std::vector<Document>& documents);

// `text` with what stands between the lines `<!-- begin: NAME -->` and `<!-- end -->` replaced by `block`. A text without
// the first line comes back as it is; an error when the block has no end.
Result<std::string> with_block(std::string_view text, std::string_view name, std::string_view block);

}  // namespace ordercheck
