// Merges the evidence tables of a matrix that was split over several CI jobs (shards).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/evidence_table.h"

namespace ordercheck {

struct Part {
  std::string path;  // the table's file, named in messages
  EvidenceTable table;
};

// Two parts have different results for the same case.
struct PartConflict {
  std::string case_text;
  std::string field;  // the column that differs: "verdict"
  std::string one, other;
  std::string one_path, other_path;
};

struct Merged {
  EvidenceTable table;                  // rows of all parts, each case once; `shard` is ""
  std::vector<PartConflict> conflicts;  // sorted by case; the table is invalid unless empty
  std::vector<std::string> missing;     // shards without a part: "2/3", if a part is "1/3"
};

// Merges parts; their order does not matter. A control of the result failed if it failed in a part, unless its counts added
// over all parts pass. Otherwise it held if it held in one part. An error if there are no parts, or if engines, versions,
// devices, arithmetics or shard counts differ.
Result<Merged> merge_parts(std::vector<Part> parts);

// One part of a matrix: "2/3" is the second of three.

struct Shard {
  int index = 1;  // counts from 1
  int count = 1;
  friend auto operator<=>(const Shard&, const Shard&) = default;
};

// Parses "i/n"; nullopt unless 1 <= i <= n <= 10000.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace ordercheck
