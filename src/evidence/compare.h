// Committed evidence against what was seen now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence/table.h"

namespace ordercheck {

// What stays of a failure's message from run to run: the type of the error and the first words behind it, with # for
// numbers and nothing for addresses.
std::string kind_of_message(std::string_view message);

// One line a change, sorted by case, as a diff: "- tp=2: equal", "+ tp=2: differs, gradient of ..., step 0". Verdict,
// effects (whether each is there), counters and collectives count, and of a failure its phase and the kind of its message;
// other messages, places and digests do not. Cases on one
// side only are changes when `whole`; otherwise only those in `seen` are looked at.
std::vector<std::string> changes(const EvidenceTable& committed, const EvidenceTable& seen, bool whole = true);

}  // namespace ordercheck
