// What runs with mutants showed, one a line, in matrix/mutants/<engine>.tsv.
//
//   # ordercheck mutants 1
//   # engine	native
//   # version	libtorch 2.11.0
//   # device	cpu
//   mutant	case	breaks	twin	verdict	first	message
//   drop_sum	tp=2	a replicated ...	equal	differs	gradient of layers.0.attention_norm.weight	gradient of ...
//
// Fields are written as in a table of verdicts. Rows are sorted by mutant and case. Written by `mutants run --write` alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/observation.h"

namespace ordercheck {

struct MutantRun {
  std::string mutant;
  std::string case_text;
  std::string breaks;                // in words, as the engine says it
  Verdict twin = Verdict::unrun;     // on the same case without the mutant
  Verdict verdict = Verdict::unrun;  // on the case with it
  std::string first;                 // see first_of
  std::string message;               // why the verdict is what it is
  friend bool operator==(const MutantRun&, const MutantRun&) = default;
};

struct MutantTable {
  std::string engine;
  std::vector<std::string> versions;
  std::string device;
  std::vector<MutantRun> rows;
  friend bool operator==(const MutantTable&, const MutantTable&) = default;
};

// Where an error shows first: "gradient of output.weight", or "loss of step 1" where the first step has it not; the items without
// an effect, "ac"; where it failed or hung, "all_reduce on ep"; "" where nothing shows.
std::string first_of(const Observation& seen);

const MutantRun* find_run(const MutantTable& table, std::string_view mutant,
                          std::string_view case_text);  // null when there is none

std::string print_mutant_table(const MutantTable& table);
Result<MutantTable> parse_mutant_table(std::string_view text, const std::string& path);  // `path` names the file in errors

// Without rows where there is no file.
Result<MutantTable> load_mutant_table(const std::filesystem::path& path);

}  // namespace ordercheck
