// Reduces the result of a run on the reader's version to a few categories.
#pragma once

#include <string>

#include "base/enum.h"
#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// What a run showed:
//   equal            bitwise equal, and no reproduced page claims a higher cost
//   slower           bitwise equal, but a reproduced page claims a higher cost
//   without_effect   it ran, but a transform did nothing
//   wrong            different numbers without an error
//   fails            an exception, a crash or a hang
//   not_run          no run, or an undecided one
ORDERCHECK_ENUM(Shown, equal, slower, without_effect, wrong, fails, not_run)

bool is_silent(Shown shown);  // nothing is raised, but training is not as requested

// The result of `stack` with the settings of pages' stacks, on the reader's version (reader_target).
Shown shown_by(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines);

// The result of exactly these two transforms, `first` applied first, at usual scopes without options. Prefers degrees of 2,
// else the fewest ranks. A transform that requires a mode, such as an optimizer, may have any.
Shown shown_by_pair(const std::string& first, const std::string& second, const Sources& sources,
                    const std::vector<EngineRuns>& engines);

// The result of one run; the pages of `target` decide what costs more.
Shown shown_by(const Outcome& run, const Sources& sources, const Target& target);

// The run of exactly these two transforms on one engine, chosen as in shown_by_pair; nullptr if there is none.
const Outcome* pair_run(const std::string& first, const std::string& second, const EngineRuns& engine);

// The run on the reader's version; nullptr if there is none.
const Outcome* reader_run(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines);

// For an `ignored` run: the expected but missing sign of the effect: "0 graphs captured".
std::string what_is_missing(const Observation& seen);

// Strips the exception type: "AttributeError: Tensors of type ..." becomes "Tensors of type ...".
std::string without_type(const std::string& message);

const char* in_words(
    Shown shown);  // "fails loudly", "silently wrong", "silently without effect", "slower", "no difference", "not run yet"
// Whether the transform without effect keeps a part of it.
bool keeps_a_part(Shown shown, const Observation& seen);
// As in_words(), but names a transform that keeps a part of its effect: "silently with only a part of the effect of `sac`".
std::string happened_in_words(Shown shown, const Observation& seen);
// As happened_in_words(), but says where a failing run failed.
std::string shown_in_words(const Outcome& run, const Sources& sources);
const char* sign_of(Shown shown);  // one character for a table cell

}  // namespace ordercheck
