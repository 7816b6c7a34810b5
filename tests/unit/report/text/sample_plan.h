// A plan of y = mm(x, w) on two ranks, whose weight is gathered, and its weight's gradient.
#pragma once

#include "record/graph_record.h"

namespace ordercheck {

inline PlanRecord sample_plan() {
  return {.mesh = {{"dp_shard", 2}, {"tp", 1}},
          .machine = "a machine",
          .nodes = {{.name = "parameter 0", .parameter = "layers.0.weight", .shape = {3, 4}, .results = {"S(0)R"}},
                    {.name = "input 0", .shape = {8, 3}, .results = {"S(0)R"}},
                    {.name = "%2 aten::mm",
                     .shape = {8, 4},
                     .operands = {{.node = 1, .source = "S(0)R", .wanted = "S(0)R"},
                                  {.node = 0, .source = "S(0)R", .wanted = "RR", .move_ns = 5200}},
                     .results = {"S(0)R"},
                     .run_ns = 7000},
                    {.name = "output 0", .shape = {8, 4}, .operands = {{.node = 2, .source = "S(0)R", .wanted = "S(0)R"}}},
                    {.name = "tangent 0", .backward = true, .shape = {8, 4}, .results = {"S(0)R"}},
                    {.name = "%5 aten::mm",
                     .backward = true,
                     .shape = {3, 4},
                     .operands = {{.node = 1, .source = "S(0)R", .wanted = "S(0)R"},
                                  {.node = 4, .source = "S(0)R", .wanted = "S(0)R"}},
                     .results = {"PR"},
                     .run_ns = 7000},
                    {.name = "gradient of parameter 0",
                     .backward = true,
                     .shape = {3, 4},
                     .operands = {{.node = 5, .source = "PR", .wanted = "S(0)R", .move_ns = 6100}}}},
          .replicated_operators = {"aten::topk"}};
}

}  // namespace ordercheck
