// Parts of one matrix, each run by a job of its own, put together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/table.h"

namespace ordercheck {

struct Part {
  std::string path;  // for messages
  EvidenceTable table;
};

// Two parts show the same case otherwise.
struct PartConflict {
  std::string case_text;
  std::string field;  // "verdict"
  std::string one, other;
  std::string one_path, other_path;
};

struct Merged {
  EvidenceTable table;                  // no shard; rows of all parts, each case once
  std::vector<PartConflict> conflicts;  // sorted by case; when there are any, the table is not to be used
  std::vector<std::string> missing;     // "2/3", of the shards that the parts say there are
};

// The same whatever the order of the parts. A control failed when it failed in a part, unless what it counted over all parts
// holds; else it held when it did in one. An error when there is no part, or when two are of different engines, versions,
// devices, arithmetics or numbers of shards.
Result<Merged> merge_parts(std::vector<Part> parts);

// Which part of a matrix: "2/3" is the second of three.

struct Shard {
  int index = 1;  // 1 the first
  int count = 1;
  friend auto operator<=>(const Shard&, const Shard&) = default;
};

// Nothing of what is not i/n with 1 <= i <= n <= 10000.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace ordercheck
