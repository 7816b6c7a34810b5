// Fields of an evidence line: escaping, and the small lists inside one field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/effect.h"
#include "parity/record.h"

namespace ordercheck {

// A tab, newline or backslash is written \t, \n, \\; the empty text is "-" and "-" itself is "\-".
std::string escape_field(std::string_view text);
Result<std::string> unescape_field(std::string_view field);

// "matmul_flops=12 saved_bytes_peak=40": names in the order of Counters, zero left out, "name=?" for one that was
// not measured.
std::string print_counters(const Counters& counters);
Result<Counters> parse_counters(std::string_view text);

// "all_gather:tp:forward:24:98304 ...": kind, group, phase, count, bytes.
std::string print_collectives(const std::vector<CollectiveCount>& collectives);
Result<std::vector<CollectiveCount>> parse_collectives(std::string_view text);

// "tp=2: yes: 96 of 192 matmul flops; 4 all_reduce on tp in forward | ac: no: missing: ...", or "partly"; "not stated" where no
// effect is defined.
std::string print_effects(const std::vector<Effect>& effects);
Result<std::vector<Effect>> parse_effects(std::string_view text);

}  // namespace ordercheck
