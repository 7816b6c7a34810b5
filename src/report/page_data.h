// Views as the data of templates, field by field.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/engines_view.h"
#include "report/framework_view.h"
#include "report/order_view.h"
#include "report/pair_matrix.h"
#include "report/rule_view.h"
#include "report/runs_view.h"
#include "report/thread_view.h"
#include "report/versions_view.h"

namespace ordercheck {

// Everything that docs/parallelism_ordering.md says.
struct OrderingPage {
  std::string target;  // "pytorch 2.15"
  std::vector<ThreadView> threads;
  std::vector<RecommendedOrder> orders;
  PairMatrix pairs;
  std::vector<EngineView> engines;
  std::vector<VersionsView> versions;
  EnginesView between_engines;
  std::vector<FrameworkRow> frameworks;
  std::vector<Disagreement> disagreements;
  std::vector<ContradictionRow> stated;
  std::vector<RulePage> rules;
};

OrderingPage ordering_page(const Sources& sources, const std::vector<ObservedEngine>& engines);

nlohmann::ordered_json data_of(const OrderingPage& page);
nlohmann::ordered_json data_of(const RulePage& page);
nlohmann::ordered_json data_of(const EngineView& view);
nlohmann::ordered_json data_of(const VersionsView& view);

}  // namespace ordercheck
