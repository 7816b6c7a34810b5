// What a run of a stack showed on the reader's version, as one of the few things that a reader tells apart.
#pragma once

#include <string>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

//   equal            bitwise equal, and no page that a run bore out says that it costs more
//   slower           bitwise equal, and such a page says so
//   without_effect   it ran, and a transform did nothing
//   wrong            other numbers, nothing raised
//   fails            an exception, a crash or a hang
//   not_run          there is no run, or it decided nothing
enum class Shown { equal, slower, without_effect, wrong, fails, not_run };

bool is_silent(Shown shown);  // nothing is raised, and training is not what was asked for

// Of `stack` with the settings that a page's stacks are run with; of the reader's version (reader_target).
Shown shown_by(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines);

// Of two transforms and nothing else, `first` applied first, without an option and at their usual scopes: with degrees of 2
// where that was run, else with the fewest ranks. One that has to say its mode, as an optimizer does, stands in any.
Shown shown_by_pair(const std::string& first, const std::string& second, const Sources& sources,
                    const std::vector<EngineRuns>& engines);

// What one run showed; `target` is whose pages say what costs more.
Shown shown_by(const Outcome& run, const Sources& sources, const Target& target);

// The run of one engine that stands for two transforms and nothing else, chosen as shown_by_pair says; null where there is none.
const Outcome* pair_run(const std::string& first, const std::string& second, const EngineRuns& engine);

// The run itself; null where there is none.
const Outcome* reader_run(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines);

// Of an `ignored` run: what would have been there, had the transform had its effect: "0 graphs captured".
std::string what_is_missing(const Observation& seen);

// A message without the type of its exception: "Tensors of type ..." of "AttributeError: Tensors of type ...".
std::string without_type(const std::string& message);

const char* in_words(
    Shown shown);  // "fails loudly", "silently wrong", "silently without effect", "slower", "no difference", "not run yet"
// What one run showed, as a reader asks: bitwise equal and slower is not without a difference. Of what failed, where.
std::string shown_in_words(const Outcome& run, const Sources& sources);
const char* sign_of(Shown shown);  // one character for a table

}  // namespace ordercheck
