// Escapes the tab-separated fields of an evidence row, and encodes fields that contain a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/effect.h"
#include "record/record.h"

namespace ordercheck {

// Writes tab, newline and backslash as \t, \n, \\, empty text as "-" and "-" as "\-".
std::string escape_field(std::string_view text);
Result<std::string> unescape_field(std::string_view field);

// "matmul_flops=12 saved_bytes_peak=40", in the order of Counters. Omits counters that are 0; "name=?" was not measured.
std::string print_counters(const Counters& counters);
Result<Counters> parse_counters(std::string_view text);

// "all_gather:tp:forward:24:98304 ...": kind, group, phase, count, bytes.
std::string print_collectives(const std::vector<CollectiveCount>& collectives);
Result<std::vector<CollectiveCount>> parse_collectives(std::string_view text);

// "tp=2: yes: 96 of 192 matmul flops; 4 all_reduce on tp in forward | ac: no: missing: ...". "partly" if only some checks
// passed, "not stated" if no check applied.
std::string print_effects(const std::vector<Effect>& effects);
Result<std::vector<Effect>> parse_effects(std::string_view text);

}  // namespace ordercheck
