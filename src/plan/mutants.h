// What each mutant of an engine must be seen as, in matrix/mutants/<engine>.toml. What runs showed lies beside it: mutant_table.h.
//
//   engine = "mine"
//
//   [[mutant]]
//   name = "own_tokens"           # one mutant may have several tables
//   imitates = "M1"               # a class of matrix/error_classes.toml; may be left out
//   cases = ["cp=2", "cp=2:ring"]
//   verdict = "differs"           # differs, fails, hangs or ignored
//   first = "loss"                # where it shows first, as first_of() says it; left out: anywhere
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "evidence/mutant_table.h"
#include "parity/verdict.h"
#include "plan/error_classes.h"
#include "stack/case.h"

namespace ordercheck {

// A mutant on a case.
struct MutantRow {
  std::string mutant;
  Case subject;
  Verdict verdict = Verdict::differs;
  std::string first;     // "" for anywhere
  std::string imitates;  // "" for none of the classes
  friend bool operator==(const MutantRow&, const MutantRow&) = default;
};

struct MutantRows {
  std::string engine;
  std::vector<MutantRow> rows;  // in the order of the file, each mutant once a case
  friend bool operator==(const MutantRows&, const MutantRows&) = default;
};

// `path` names the file in errors.
Result<MutantRows> parse_mutant_rows(std::string_view text, const std::string& path, const std::vector<ErrorClass>& classes);

// matrix/mutants/<engine>.toml and .tsv below `folder` ("matrix").
std::filesystem::path mutant_rows_path(const std::filesystem::path& folder, const std::string& engine);
std::filesystem::path mutant_table_path(const std::filesystem::path& folder, const std::string& engine);

// With matrix/error_classes.toml below `folder`.
Result<MutantRows> load_mutant_rows(const std::filesystem::path& folder, const std::string& engine);

// The engines that have such a file below `folder`, sorted; none where there is no folder of them.
std::vector<std::string> engines_with_mutants(const std::filesystem::path& folder);

// seen       with the verdict that is expected, and first where it is expected
// elsewhere  the run decided against the case, in another way
// missed     it did not: equal, or undecided
ORDERCHECK_ENUM(Sighting, seen, elsewhere, missed)

Sighting sighting_of(const MutantRow& expected, const MutantRun& run);

const char* in_words(Sighting sighting);  // "seen", "seen elsewhere", "NOT SEEN"

}  // namespace ordercheck
