// Checks whether a run supports a rule's claim, for grades (grade.h) and for predicted against observed (outcome.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/observation.h"
#include "rules/rule.h"

namespace ordercheck {

// What the counters of a run must show, compared with the run of the page's other example stack.
//   as_pinned  the change in the page's [[expect]] entry, if it has one
//   cost       that change, else more or less: equal counters show no cost
//   the_same   every counter is equal, for orders that commute
enum class Counted { as_pinned, cost, the_same };

// What a rule claims that one run shows.
struct Claim {
  Expectation shown;  // the verdict and its details
  Counted counted = Counted::as_pinned;
  std::vector<Expectation> departures;  // [[expect]] entries of exactly this version that are exceptions (pins.h)
};

// The rule's claim about a run of its bad example stack. Counters are compared with the run of the good one.
Claim claim_on_witness(const Rule& rule, const std::string& engine, const std::optional<Version>& version);

// The rule's claim about a run of any stack that it fires on. There is no good stack to compare with, so counters are not
// checked.
Claim claim_on_stack(const Rule& rule, const Stack& stack, const std::string& engine, const std::optional<Version>& version);

//   borne_out  the run shows every detail of the claim
//   departed   the run got far enough to show it, and showed something else
//   foreign    the run ended early for an unrelated reason
//   undecided  the run is unrun or unstable, or a counter was not measured
enum class Bearing { borne_out, departed, foreign, undecided };

struct Borne {
  Bearing bearing = Bearing::undecided;
  std::string why;      // one clause: what the run showed, or what is missing to decide
  std::string because;  // the page's explanation, if the run shows one of Claim::departures
};

// Compares the run `seen` with the claim. `beside`: the run of the page's good stack, or of the other order of a commutes
// page; null if there is none.
Borne bears_out(const Claim& claim, const Observation& seen, const Observation* beside);

// Whether the verdict counts against a stack: differs, fails, hangs, ignored.
bool is_harm(Verdict verdict);

// Whether the observed verdict `seen` is the claimed one `said`. `close` counts as `equal`.
bool is_of_kind(Verdict said, Verdict seen);

}  // namespace ordercheck
