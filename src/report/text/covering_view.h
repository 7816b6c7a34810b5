// A covering set and what it covers, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "plan/combinations.h"
#include "plan/coverage.h"
#include "plan/covering.h"
#include "plan/plan.h"

namespace ordercheck {

struct CoveringSet {
  std::string engine;
  CoveringSpace space;
  Combinations combinations;
  std::vector<Case> cases;
  Coverage coverage;  // measured on the cases
};

// What the cases of a plan cover, whatever planned them.
CoveringSet covering_set_of(const Plan& plan, const CoveringSpace& space, const Combinations& combinations, int strength);

// "pairs: 312 of 312 feasible covered by 24 rows; 41 ruled out"
std::string render_covering_text(const CoveringSet& set);

// One object: engine, strength, parameters (a name and its levels each), ruled_out (objects of name and level that no allowed
// combination holds: all constraints), rows (objects of name and level, and the case), coverage.
std::string render_covering_json(const CoveringSet& set);

}  // namespace ordercheck
