#include "report/text/plan_view.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "record/record_codec.h"
#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(PlanText, SaysWhereEverythingIs) {
  EXPECT_EQ(render_plan_nodes(sample_plan()),
            R"(parameters
  layers.0.weight                                [3x4]          S(0)R
forward
  input 0                                        [8x3]          S(0)R
  %2 aten::mm                                    [8x4]          S(0)R, RR -> S(0)R                 7.0 us
    layers.0.weight: S(0)R to RR, 5.2 us
  output 0                                       [8x4]          S(0)R
backward
  tangent 0                                      [8x4]          S(0)R
  %5 aten::mm                                    [3x4]          S(0)R, S(0)R -> PR                 7.0 us
  gradient of parameter 0                        [3x4]          S(0)R
    %5 aten::mm: PR to S(0)R, 6.1 us
)");
}

TEST(PlanDot, DrawsBothHalvesAndWhatMoves) {
  const std::string dot = render_plan_dot(sample_plan(), "auto_parallel=2");
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_forward"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_backward"));
  EXPECT_THAT(dot, HasSubstr("n0 [label=\"layers.0.weight\\n[3x4] S(0)R\"];"));
  EXPECT_THAT(dot, HasSubstr("n1 -> n2;"));
  EXPECT_THAT(dot, HasSubstr("n0 -> n2 [penwidth=3, label=\"S(0)R to RR\"];"));
}

TEST(PlanJson, IsThePlanUnderItsSchemasName) {
  const auto value = nlohmann::json::parse(render_plan_json(sample_plan(), "auto_parallel=2"));
  EXPECT_EQ(value["schema"], "ordercheck/plan/1");
  EXPECT_EQ(value["stack"], "auto_parallel=2");
  EXPECT_EQ(plan_in(value), sample_plan());
}

}  // namespace
}  // namespace ordercheck
