// The counters that an expectation may name, and that an observation carries: those of a record (parity/record.h), and
// collectives as "<kind>" over all groups, "<kind>@<axis>" of one, or with ":bytes" behind either.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/record.h"

namespace ordercheck {

using CounterValues = std::map<std::string, std::int64_t>;

// Refuses an unknown counter, with a suggestion.
Status check_counter_name(std::string_view name);

// All counters by name, those that are zero too; collectives that did not happen are absent.
CounterValues counter_values(const Counters& counters, const std::vector<CollectiveCount>& collectives);

}  // namespace ordercheck
