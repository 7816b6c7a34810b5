// What changed between two tables: of two versions of PyTorch, or of two commits.
#pragma once

#include <string>
#include <vector>

#include "evidence/table.h"

namespace ordercheck {

// A case is told once, in the first group that it belongs to. Words of a message, places and digests are no change.
//   worse   another verdict that is worse: equal, close, then ignored, differs, hangs, fails; unstable and unrun last
//   better  the other way
//   ending  how a run ended, in which phase it failed, or the kind of its message
//   effects, counters, collectives
enum class ChangeKind { worse, better, ending, effects, counters, collectives, only_before, only_after };

struct Change {
  ChangeKind kind = ChangeKind::worse;
  std::string case_text;
  std::string before, after;  // "" where the case is not
};

struct TableDiff {
  std::vector<Change> changes;  // by kind, then by case
  std::size_t in_both = 0;
};
TableDiff diff_of(const EvidenceTable& before, const EvidenceTable& after);

const char* name_of(ChangeKind kind);  // "worse", "only before"

}  // namespace ordercheck
