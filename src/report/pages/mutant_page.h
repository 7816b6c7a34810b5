// The page of mutants: each as its engine's table expects it beside what runs showed, and which classes of errors they imitate.
#pragma once

#include <string>
#include <vector>

#include "report/pages/sources.h"

namespace ordercheck {

struct MutantLine {
  std::string mutant;    // "`drop_sum`"
  std::string breaks;    // "" where it was not run: the engine says it
  std::string stack;     // "`tp=2`"
  std::string twin;      // "equal"
  std::string seen;      // "differs", "not run"
  std::string first;     // "gradient of layers.0.attention_norm.weight"
  std::string sighting;  // "seen", "NOT SEEN"
};

struct MutantsView {
  std::string title;   // "native (libtorch 2.11.0, cpu)"
  std::string result;  // "36 rows: 36 seen, each twin equal or close"
  std::vector<MutantLine> rows;
};

MutantsView mutants_view(const EngineMutants& engine);

struct ErrorClassRow {
  std::string id;    // "M1"
  std::string what;  // in words
  std::string by;    // of one that is covered: "`drop_sum`, `own_tokens`"; else what shows it instead, mostly ""
};

struct ErrorClassesView {
  std::vector<ErrorClassRow> covered;  // a mutant imitates it and is seen
  std::vector<ErrorClassRow> not_covered;
};

ErrorClassesView error_classes_view(const Sources& sources);

}  // namespace ordercheck
