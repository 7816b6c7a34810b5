// Every order of one set of transforms in a line: how many were run, what they showed, and how many objects they built.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct SetView {
  std::string title;     // "`tp`, `ac`, `compile`, `fsdp` on 4 ranks"
  std::string orders;    // "24": that were run
  std::string verdicts;  // "6 equal, 18 fails"
  std::string objects;   // "2": of the equal orders, those that agree in every counter and every collective are one object;
                         // "not measured" where one of them lacks a counter, "" where none is equal
};

// One a set of the space and a world size that it can fill, sets without a run left out.
std::vector<SetView> set_views(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
