// Committed evidence against what was seen now.
#pragma once

#include <string>
#include <vector>

#include "evidence/table.h"

namespace ordercheck {

// One line a change, sorted by case, as a diff: "- tp=2: equal", "+ tp=2: differs, gradient of ..., step 0". Verdict,
// effects (whether each is there), counters and collectives count; messages, places and digests do not. Cases on one
// side only are changes when `whole`; otherwise only those in `seen` are looked at.
std::vector<std::string> changes(const EvidenceTable& committed, const EvidenceTable& seen, bool whole = true);

}  // namespace ordercheck
