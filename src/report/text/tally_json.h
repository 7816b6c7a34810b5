// Writes the counts and the controls of a matrix as JSON.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "matrix/plan_result.h"
#include "record/evidence_table.h"

namespace ordercheck {

inline nlohmann::ordered_json json_of(const std::vector<Control>& controls) {
  nlohmann::ordered_json made = nlohmann::ordered_json::array();
  for (const Control& control : controls)
    made.push_back(
        {{"name", control.name}, {"judged", control.judged}, {"held", control.held}, {"evidence", control.evidence}});
  return made;
}

// The keys "verdicts" to "controls", in this order.
inline nlohmann::ordered_json tally_json(const Tally& tally, const std::vector<Control>& controls) {
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::object();
  for (const auto& [verdict, count] : tally.verdicts) verdicts[name_of(verdict)] = count;
  return {{"verdicts", verdicts},         {"confirmed", tally.confirmed},           {"open", tally.open},
          {"explained", tally.explained}, {"contradictions", tally.contradictions}, {"undecided", tally.undecided},
          {"controls", json_of(controls)}};
}

}  // namespace ordercheck
