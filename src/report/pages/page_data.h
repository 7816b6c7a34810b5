// Collects the data of each generated page. For pages with a single view, such as a rule or an engine, see view_json.h.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/pages/framework_view.h"
#include "report/pages/order_drawing.h"
#include "report/pages/order_view.h"
#include "report/pages/pair_table.h"
#include "report/pages/pair_view.h"
#include "report/pages/rule_view.h"
#include "report/pages/runs_view.h"
#include "report/pages/symptoms.h"
#include "report/pages/transform_view.h"
#include "report/pages/versions_view.h"

namespace ordercheck {

// The contents of all generated pages; each page uses a part.
struct PageContents {
  OrderAnswer answer;  // for reader_target, the version of the ordering page
  std::vector<PairView> asked;
  std::vector<RecommendedOrder> orders;
  OrderDrawing drawing;  // of the first order
  PairTable pair_table;
  PairMatrix pairs;
  std::vector<Symptom> symptoms;
  std::vector<TransformView> transforms;  // transforms with their own section: ep, simple_fsdp, auto_parallel
  std::vector<EngineView> engines;
  std::vector<VersionsView> changes;  // between versions
  std::vector<FrameworkRow> frameworks;
  NewestOrders newest;
  std::vector<OwnRun> own_runs;
  std::vector<Disagreement> disagreements;
  std::vector<RulePage> rules;
};

PageContents pages_of(const Sources& sources, const std::vector<EngineRuns>& engines);

nlohmann::json ordering_data(const PageContents& pages);    // docs/parallelism_ordering.md and the pages that it leads to
nlohmann::json projects_data(const PageContents& pages);    // docs/projects.md
nlohmann::json evidence_data(const PageContents& pages);    // docs/evidence.md
nlohmann::json rule_index_data(const PageContents& pages);  // rules/README.md

}  // namespace ordercheck
