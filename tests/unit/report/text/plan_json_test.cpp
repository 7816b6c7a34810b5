#include "report/text/plan_json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "protocol/plan_codec.h"
#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

TEST(PlanJson, IsThePlanUnderItsSchemasName) {
  const auto value = nlohmann::json::parse(render_plan_json(sample_plan(), "auto_parallel=2"));
  EXPECT_EQ(value["schema"], "ordercheck/plan/1");
  EXPECT_EQ(value["stack"], "auto_parallel=2");
  EXPECT_EQ(plan_in(value), sample_plan());
}

}  // namespace
}  // namespace ordercheck
