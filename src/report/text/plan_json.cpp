#include "report/text/plan_json.h"

#include <nlohmann/json.hpp>

#include "protocol/plan_codec.h"

namespace ordercheck {

std::string render_plan_json(const PlanRecord& plan, const std::string& stack) {
  nlohmann::ordered_json whole{{"schema", "ordercheck/plan/1"}, {"stack", stack}};
  const nlohmann::json fields = json_of(plan);
  for (const auto& [key, value] : fields.items()) whole[key] = value;
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
