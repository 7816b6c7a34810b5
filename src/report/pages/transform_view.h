// What is known of one transform: what was run, and what is cited only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "report/pages/traffic_view.h"

namespace ordercheck {

struct TransformPage {
  std::string page;   // linked
  std::string claim;  // "`fsdp|hsdp` applied before `ep`"
  std::string harm, basis;
  std::string source;  // who says so, with the date; "" where nobody is cited
};

// Stacks that showed the same, and what says so.
struct TransformShown {
  std::string target;   // "torchtitan 0.2.2"
  std::string verdict;  // "fails in apply"
  std::string page;     // that explains it, linked; "none"; "" where it is equal
  std::string stacks;   // the shortest: "`ep=2,fsdp=2` (deepseek_v3, llama4), `ep=4,fsdp=4` (deepseek_v3)"
  std::string more;     // "12 more"; "" where these are all
};

struct TransformView {
  std::string name;                   // "`ep`"
  std::string title;                  // "expert parallel"
  std::string run;                    // "12 cases on pytorch 2.15.0, cpu"; "" where no engine builds it
  std::vector<TransformShown> shown;  // what those cases showed, the worst last
  std::string sent;                   // where its tables of traffic are: a link; "" where there is none
  std::string projects;               // "torchtitan llama4: `tp,ep,ac`; ...": whose order holds it
  std::vector<TransformPage> pages;
};

// Of a transform of the catalogue: the pages whose patterns name it or, with `scope`, something applied to that scope.
TransformView transform_view(const std::string& name, std::optional<Scope> scope, const Sources& sources,
                             const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
