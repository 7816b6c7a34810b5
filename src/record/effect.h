// Checks that each transform of a stack had an effect, beyond equal numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "stack/case.h"

namespace ordercheck {

// One check and its result: "recomputed 118 operators".
struct Sign {
  std::string text;
  bool missing = false;  // the check failed
  friend bool operator==(const Sign&, const Sign&) = default;
};

// The checks of one transform of a case, measured against the twin: the same case without this transform.
struct Effect {
  std::string transform;    // the transform as written in the stack: "tp=2"
  bool defined = true;      // false: no check applies or no counter was measured; such a transform is never `ignored`
  bool present = false;     // every check passed
  bool partly = false;      // some checks passed, some failed
  std::vector<Sign> signs;  // the checks, in words
  friend bool operator==(const Effect&, const Effect&) = default;
};

// Joins the checks to the text that an evidence row stores: "118 operators recomputed; missing: 51200 bytes saved of 51200".
std::string print(const std::vector<Sign>& signs);

// Whether the effect is defined and some check failed.
bool is_lost(const Effect& effect);

// "ac has no effect: 0 operators recomputed", or "compile has only a part of its effect: 92 of 98 matrix products ran in graphs
// (7 graphs captured)": first the failed checks, then the passed ones in brackets.
std::string loss_in_words(const Effect& lost);

// Checks the effect of item `index` of the stack of `c`. `with` is the record of `c` and must have completed. `without` is the
// record of the twin without the item. If the twin did not complete, checks `with` alone and adds a sign that says so.
Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without,
                 bool twin_was_run = true);

// The transforms of a case that had no effect; if there are none, those with a partial effect. An ignored transform also
// falsifies the twins of the other transforms, so partial effects next to it are not reported.
std::vector<Effect> lost_effects(const std::vector<Effect>& effects);

}  // namespace ordercheck
