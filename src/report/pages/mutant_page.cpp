#include "report/pages/mutant_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "report/pages/markdown.h"

namespace ordercheck {
namespace {

const MutantRun* run_of(const EngineMutants& engine, const MutantRow& row) {
  return find_run(engine.seen, row.mutant, print(row.subject));
}

bool is_seen(const EngineMutants& engine, const MutantRow& row) {
  const MutantRun* run = run_of(engine, row);
  return run != nullptr && shows_parity(run->twin) && sighting_of(row, *run) == Sighting::seen;
}

MutantLine line_of(const EngineMutants& engine, const MutantRow& row) {
  MutantLine line{.mutant = code(row.mutant), .stack = breakable_code(print(row.subject))};
  const MutantRun* run = run_of(engine, row);
  if (run == nullptr) {
    line.seen = "not run";
    return line;
  }
  line.breaks = run->breaks;
  line.twin = name_of(run->twin);
  line.seen = name_of(run->verdict);
  line.first = breakable(run->first);
  line.sighting = in_words(sighting_of(row, *run));
  return line;
}

// Mutants that imitate the class and are seen, each once.
std::vector<std::string> mutants_of(const ErrorClass& one, const Sources& sources) {
  std::vector<std::string> names;
  for (const EngineMutants& engine : sources.mutants)
    for (const MutantRow& row : engine.table.rows)
      if (row.imitates == one.id && is_seen(engine, row) && !contains(names, code(row.mutant)))
        names.push_back(code(row.mutant));
  return names;
}

}  // namespace

MutantsView mutants_view(const EngineMutants& engine) {
  MutantsView view{.title = engine.table.engine};
  if (!engine.seen.rows.empty()) view.title += fmt::format(" ({}, {})", join(engine.seen.versions, ", "), engine.seen.device);
  std::size_t seen = 0;
  for (const MutantRow& row : engine.table.rows) {
    view.rows.push_back(line_of(engine, row));
    if (is_seen(engine, row)) ++seen;
  }
  view.result =
      fmt::format("{}, {} seen where expected with a twin that is equal or close", counted(std::ssize(view.rows), "row"), seen);
  return view;
}

ErrorClassesView error_classes_view(const Sources& sources) {
  ErrorClassesView view;
  for (const ErrorClass& one : sources.error_classes) {
    const std::vector<std::string> mutants = mutants_of(one, sources);
    ErrorClassRow row{.id = one.id, .what = one.what, .by = mutants.empty() ? one.shown_by : join(mutants, ", ")};
    (mutants.empty() ? view.not_covered : view.covered).push_back(std::move(row));
  }
  return view;
}

}  // namespace ordercheck
