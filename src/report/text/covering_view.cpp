#include "report/text/covering_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/wording.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

const char* tuples_called(int strength) { return strength == 2 ? "pairs" : "triples"; }

// A level of -1 is left out.
Json levels_json(const CoveringSpace& space, const std::vector<int>& levels) {
  Json json = Json::object();
  for (std::size_t p = 0; p < levels.size(); ++p)
    if (levels[p] >= 0) json[space.parameters[p].name] = space.parameters[p].levels[static_cast<std::size_t>(levels[p])].text;
  return json;
}

}  // namespace

CoveringSet covering_set_of(const Plan& plan, const CoveringSpace& space, const Combinations& combinations, int strength) {
  CoveringSet set{.engine = plan.engine, .space = space, .combinations = combinations, .cases = {}, .coverage = {}};
  std::vector<Combination> rows;
  for (const PlannedCase& planned : plan.cases) {
    const auto combination = combination_of(planned.subject, space);
    if (!combination) continue;
    rows.push_back(*combination);
    set.cases.push_back(planned.subject);
  }
  set.coverage = coverage_of(rows, combinations, strength);
  return set;
}

std::string render_covering_text(const CoveringSet& set) {
  const Coverage& c = set.coverage;
  return fmt::format("{}: {} of {} feasible covered by {}; {} ruled out\n", tuples_called(c.strength), c.covered, c.feasible,
                     counted(c.rows, "row"), c.ruled_out);
}

std::string render_covering_json(const CoveringSet& set) {
  Json parameters = Json::array(), ruled_out = Json::array(), rows = Json::array();
  for (const Parameter& parameter : set.space.parameters) {
    Json levels = Json::array();
    for (const Level& level : parameter.levels) levels.push_back(level.text);
    parameters.push_back({{"name", parameter.name}, {"levels", levels}});
  }
  for (const Partial& part : least_ruled_out(set.combinations)) ruled_out.push_back(levels_json(set.space, part));
  for (const Case& c : set.cases)
    rows.push_back({{"levels", levels_json(set.space, *combination_of(c, set.space))}, {"case", print(c)}});
  const Coverage& c = set.coverage;
  return Json{{"schema", "ordercheck/matrix-plan-covering/1"},
              {"engine", set.engine},
              {"strength", c.strength},
              {"parameters", parameters},
              {"ruled_out", ruled_out},
              {"rows", rows},
              {"coverage", {{"feasible", c.feasible}, {"covered", c.covered}, {"ruled_out", c.ruled_out}, {"rows", c.rows}}}}
             .dump(2) +
         "\n";
}

}  // namespace ordercheck
