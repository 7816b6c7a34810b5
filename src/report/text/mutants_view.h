// Mutants, as `ordercheck mutants` tells of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/mutants.h"
#include "protocol/messages.h"

namespace ordercheck {

struct MutantResult {
  MutantRow expected;
  MutantRun run;
};

struct MutantsResult {
  Hello hello;
  std::vector<MutantResult> rows;
  std::vector<std::string> without_case;  // mutants that the engine knows and no row names
};

// One a line: its name, what it breaks, the class that it imitates, and its cases.
std::string render_mutants_text(const Hello& hello, const std::vector<MutantRow>& rows);
std::string render_mutants_json(const Hello& hello, const std::vector<MutantRow>& rows);

// A line of what is run one after another: columns are as wide as what is expected needs.
class MutantLines {
 public:
  explicit MutantLines(const std::vector<MutantRow>& rows);
  std::string line(const MutantResult& result) const;

 private:
  std::size_t mutant_ = 0, case_ = 0, first_ = 0;
};

// "36 rows of 26 mutants on native 2.11.0: 36 seen, 0 seen elsewhere, 0 not seen; 20 twins, all equal or close."
std::string render_mutants_summary(const MutantsResult& result);
std::string render_mutants_result_json(const MutantsResult& result);

}  // namespace ordercheck
