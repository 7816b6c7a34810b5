// What public sources say about orders, combinations, needs, sizes and effects: one file a project or topic in matrix/facts/. Each
// fact names the pages that claim it, or the reason why none does, so that what no page says is a decision and no gap.
//
//   [[fact]]
//   name = "tensor-parallelism-before-fsdp"  # stands once in all files
//   says = "one sentence in our words"
//   source = "https://..."
//   date = "2026-02-20"                      # of the statement: 2025-08-13, 2025-08, 2025, or "unknown"
//   pages = ["ORD-004"]                      # one of them cites the source
//   refused = "a sentence: why no page says it"  # in place of pages
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/load.h"

namespace ordercheck {

struct Fact {
  std::string name;
  std::string says;
  std::string source;
  std::string date;
  std::vector<std::string> pages;  // ids of pages that are not retired
  std::string refused;             // "" where pages claim it
  friend bool operator==(const Fact&, const Fact&) = default;
};

// In the order of the file. Errors are "<path>:<line>: ...". Verified too: every page exists and is not retired, one of pages and
// refused is given, and no name stands twice in the file.
Result<std::vector<Fact>> parse_facts(std::string_view text, const std::string& path, const Pages& pages);

// Of every file of `folder`, in the order of their names. A name that stands in two files is an error.
Result<std::vector<Fact>> load_facts(const std::filesystem::path& folder, const Pages& pages);

// Whether a citation of `rule` is of the fact's source. What follows '#' is a place in one source and makes no other.
bool cites_source_of(const Rule& rule, const Fact& fact);

}  // namespace ordercheck
