#include "placing/plan/placement_planner.h"
#include <gtest/gtest.h>
#include <fmt/format.h>
#include <chrono>
#include "unit/placing/recorded_graph.h"
namespace ordercheck::placing {
static double now(){ return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
TEST(Exp, Llama) {
  for (auto mesh : std::vector<DeviceMesh>{{{"dp_shard",2},{"tp",2}},{{"dp_shard",4},{"tp",2}}}) {
   for (int alike : {-1, 8}) {
    double t=now();
    auto planner = PlacementPlanner::make(recorded_llama(), mesh, h100(mesh));
    ASSERT_TRUE(planner) << planner.error().message;
    double t1=now();
    ASSERT_TRUE(planner->bound_parameter_memory());
    auto s=planner->pin_inputs({std::nullopt, Placements(mesh.size(), replicate())}); ASSERT_TRUE(s) << s.error().message;
    SolveOptions o; if (alike<0) o.alike_within.reset(); else o.alike_within=alike;
    auto plan = planner->solve(o);
    double t2=now();
    ASSERT_TRUE(plan) << plan.error().message;
    fmt::print("mesh {} alike {}: make {:.2f} solve {:.2f}; cost {} run {} move {}; nodes {} unknowns {} vars {} rows {} programs {} whole {} unknown ops [{}]\n", mesh.size(), alike, t1-t, t2-t1, plan->cost(), plan->run_cost, plan->move_cost, plan->size.nodes, plan->size.unknowns, plan->size.variables, plan->size.rows, plan->size.programs_solved, plan->size.relaxation_was_whole, fmt::join(plan->replicated_operators, ","));
    if (getenv("SHOW") && alike==8) for (size_t i=0;i<plan->nodes.size();++i) { auto& n=planner->graph().nodes[i]; if (n.role!=Role::none || n.op=="aten::mm") fmt::print("  {} {}\n", name_of(planner->graph(), i), name_of(Strategy{plan->nodes[i].operands, plan->nodes[i].results})); }
   }
  }
}
}
