#include "evidence/repeated_runs.h"

#include <algorithm>

#include "base/text.h"
#include "evidence/control_words.h"

namespace ordercheck {

Control with_repeated(Control of_table, const EvidenceTable& part) {
  const auto found = std::ranges::find(part.controls, std::string(kRepeatedRuns), &Control::name);
  if (found == part.controls.end() || !found->judged) return of_table;
  if (!found->held) return *found;
  const auto told = parse_repeated_runs(of_table.evidence);
  // Of several that were unlike themselves the control names the first only.
  if (of_table.held || !told || told->twice - told->alike != 1) return of_table;
  const Observation* again = find_row(part, told->first_unlike);
  if (again == nullptr) return of_table;
  // One that does not complete now is not run twice.
  const long long twice = again->ending == Ending::completed ? told->twice : told->alike;
  return {.name = of_table.name, .held = true, .evidence = repeated_runs_in_words({.alike = twice, .twice = twice})};
}

}  // namespace ordercheck
