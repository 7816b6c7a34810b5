// What is known of one transform: what was run, and what is cited only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/engine_runs.h"
#include "report/sources.h"

namespace ordercheck {

struct TransformPage {
  std::string page;   // linked
  std::string claim;  // "`fsdp|hsdp` applied before `ep`"
  std::string harm, basis;
  std::string source;  // who says so, with the date; "" where nobody is cited
};

struct TransformView {
  std::string name;                   // "`ep`"
  std::string title;                  // "expert parallel"
  std::string run;                    // "12 cases on pytorch 2.15.0, cpu"; "" where no engine builds it
  std::vector<std::string> projects;  // "torchtitan llama4: `tp,ep,ac`": whose order holds it
  std::vector<TransformPage> pages;
};

// Of a transform of the catalogue: the pages whose patterns name it or, with `scope`, something applied to that scope.
TransformView transform_view(const std::string& name, std::optional<Scope> scope, const Sources& sources,
                             const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
