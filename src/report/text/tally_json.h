// Writes parts of evidence as JSON, for the subcommands of ordercheck matrix.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "record/evidence_table.h"

namespace ordercheck::cli {

inline nlohmann::ordered_json json_of(const std::vector<Control>& controls) {
  nlohmann::ordered_json made = nlohmann::ordered_json::array();
  for (const Control& control : controls)
    made.push_back(
        {{"name", control.name}, {"judged", control.judged}, {"held", control.held}, {"evidence", control.evidence}});
  return made;
}

}  // namespace ordercheck::cli
