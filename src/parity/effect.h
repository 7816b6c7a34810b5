// What each transform of a stack owes to show beside equal numbers: that it did something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/record.h"
#include "stack/case.h"

namespace ordercheck {

// One thing that was looked for: "recomputed 118 operators".
struct Sign {
  std::string text;
  bool missing = false;  // it was owed, and is not there
  friend bool operator==(const Sign&, const Sign&) = default;
};

// Measured against the twin, the stack without the transform.
struct Effect {
  std::string transform;    // the item, printed
  bool defined = true;      // false: nothing is stated about it, or nothing of it was measured; it is never found ignored
  bool present = false;     // all that it owes was seen
  bool partly = false;      // not all, but some of it
  std::vector<Sign> signs;  // the counters, in words
  friend bool operator==(const Effect&, const Effect&) = default;
};

// "118 operators recomputed; missing: 51200 bytes saved of 51200": the signs as one text, as evidence keeps them.
std::string print(const std::vector<Sign>& signs);

// Something was owed, and not all of it was seen.
bool is_lost(const Effect& effect);

// "ac has no effect: 0 operators recomputed"; of a part "compile has only a part of its effect: 92 of 98 matrix products ran in
// graphs (7 graphs captured)": what is missing, and in brackets what else was seen.
std::string loss_in_words(const Effect& lost);

// The effect of item `index` of the stack of `c`. `with` must have completed. Without a twin that completed, only what
// `with` shows alone is judged, and the evidence says so.
Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without,
                 bool twin_was_run = true);

// Items without their effect. One that did nothing also moves what its neighbours are measured by, so those that show
// nothing at all, where there are any; else those that show a part.
std::vector<Effect> lost_effects(const std::vector<Effect>& effects);

}  // namespace ordercheck
