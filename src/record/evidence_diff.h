// Compares two evidence tables: of two PyTorch versions or two commits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/evidence_table.h"

namespace ordercheck {

// How the evidence row of a case changed from the old to the new table. A case has the first kind that applies. Message
// details, modules, ranks and digests are not compared.
//   worse   a worse verdict, from best to worst: equal, close, then ignored, differs, hangs, fails; unstable and unrun last
//   better  a better verdict
//   ending  the run ended in another way, in another phase, or with another kind of message
//   effects, counters, collectives
enum class ChangeKind { worse, better, ending, effects, counters, collectives, only_before, only_after };

struct Change {
  ChangeKind kind = ChangeKind::worse;
  std::string case_text;
  std::string before, after;  // the row's result in words; "" if that table lacks the case
};

struct TableDiff {
  std::vector<Change> changes;  // sorted by kind, then by case
  std::size_t in_both = 0;
};
TableDiff diff_of(const EvidenceTable& before, const EvidenceTable& after);

const char* name_of(ChangeKind kind);  // "worse", "only before"

// The stable part of a failure message: the first words of its first line, with # for numbers and without addresses.
std::string kind_of_message(std::string_view message);

// The differences of two tables, sorted by case, as a diff: "- tp=2: equal", "+ tp=2: differs, gradient of ..., step 0".
// Compares verdicts, effects (present or not), counters, collectives, and the phase and kind of message of failures. Ignores
// message details, modules, ranks and digests. Reports cases that only `committed` has if `whole`, that is if `seen` is a run
// of the whole matrix.
std::vector<std::string> changes(const EvidenceTable& committed, const EvidenceTable& seen, bool whole = true);

}  // namespace ordercheck
