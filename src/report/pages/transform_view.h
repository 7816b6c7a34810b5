// Prepares the section of a generated page about one transform: its runs, rules and citations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "report/pages/traffic_view.h"

namespace ordercheck {

struct TransformPage {
  std::string page;   // a link
  std::string claim;  // "`fsdp|hsdp` applied before `ep`"
  std::string harm, basis;
  std::string source;  // the first citation with its date; "" if nobody is cited
};

// A group of stacks with the same result on one engine, and the rule page that explains it.
struct TransformShown {
  std::string target;   // "torchtitan 0.2.2"
  std::string verdict;  // "fails in apply"
  std::string page;     // a link to the explaining page; "none"; "" if equal
  std::string stacks;   // the shortest ones: "`ep=2,fsdp=2` (deepseek_v3, llama4), `ep=4,fsdp=4` (deepseek_v3)"
  std::string more;     // "12 more"; "" if all are listed
};

// What one mode of the transform sends and holds on rank 0: of its SentRow and TakenRow.
struct ModeRow {
  std::string stack;
  std::string collectives;  // as in_short(): "21 / 20 / 21 / 0"
  std::string bytes;
  std::string held, saved, parameters;  // peak bytes: values of captured graphs, saved for backward, parameters; "" if unknown
};

struct TransformView {
  std::string name;                   // "`ep`"
  std::string title;                  // "expert parallel"
  std::string run;                    // "12 cases on pytorch 2.15.0, cpu"; "" if no engine builds it
  std::vector<TransformShown> shown;  // results of those cases; worst last
  std::string modes_on;        // "native 2.11.0, cpu, model `llama`": the first engine and model with a traffic table of it
  std::vector<ModeRow> modes;  // the table's first row, for comparison, and its rows of this transform
  std::string projects;        // known projects that apply it: "torchtitan llama4: `tp,ep,ac`; ..."
  std::vector<TransformPage> pages;
};

// The view of one transform. `pages` has the rules whose patterns name the transform or, if `scope` is set, any transform at
// that scope.
TransformView transform_view(const std::string& name, std::optional<Scope> scope, const Sources& sources,
                             const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
