// Whether a run bears out what is said of it: the one judge of grades (grade.h) and of predicted against observed
// (check/outcome.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/observation.h"
#include "rule/rule.h"

namespace ordercheck {

// What must be seen of counters, beside a second run.
//   as_pinned  the move that is pinned, where one is
//   cost       the pinned move, more or less: without one, equal numbers say nothing
//   the_same   every counter, for orders that commute
enum class Counted { as_pinned, cost, the_same };

// What is said of one run.
struct Claim {
  Expectation shown;  // verdict, and its details
  Counted counted = Counted::as_pinned;
  std::vector<Expectation> departures;  // what the page pins instead for this very version
};

// What a page says of its own witness: the good stack stands beside it.
Claim claim_on_witness(const Rule& rule, const std::string& engine, const std::optional<Version>& version);

// What it says of any stack that it fires on. No good stack stands beside it, so counters are not asked.
Claim claim_on_stack(const Rule& rule, const Stack& stack, const std::string& engine, const std::optional<Version>& version);

//   borne_out  the run shows it, in every detail
//   departed   it ran far enough to show it, and showed something else
//   foreign    it ended early, otherwise than is said: anything may fail
//   undecided  nothing was shown, or a detail was not pinned or not measured
enum class Bearing { borne_out, departed, foreign, undecided };

struct Borne {
  Bearing bearing = Bearing::undecided;
  std::string why;      // one clause: what was seen, or what is missing
  std::string because;  // the page's own words, where its departure is what was seen
};

// `beside`: the run of the good stack, or of the other order; null where there is none.
Borne bears_out(const Claim& claim, const Observation& seen, const Observation* beside);

// A verdict that decides against a stack: differs, fails, hangs, ignored.
bool is_harm(Verdict verdict);

// What was seen is of the kind that was said: `close`, in float32 arithmetic, is of the kind of `equal`.
bool is_of_kind(Verdict said, Verdict seen);

}  // namespace ordercheck
