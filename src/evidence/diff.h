// What changed between two tables: of two versions of PyTorch, or of two commits.
#pragma once

#include <string>
#include <string_view>
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

// Committed evidence against what was seen now.

// What stays of a failure's message from run to run: the type of the error and the first words behind it, with # for
// numbers and nothing for addresses.
std::string kind_of_message(std::string_view message);

// One line a change, sorted by case, as a diff: "- tp=2: equal", "+ tp=2: differs, gradient of ..., step 0". Verdict,
// effects (whether each is there), counters and collectives count, and of a failure its phase and the kind of its message;
// other messages, places and digests do not. Cases on one
// side only are changes when `whole`; otherwise only those in `seen` are looked at.
std::vector<std::string> changes(const EvidenceTable& committed, const EvidenceTable& seen, bool whole = true);

}  // namespace ordercheck
