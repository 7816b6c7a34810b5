// Views as the data of templates, field by field.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/agreement_view.h"
#include "report/discussion_view.h"
#include "report/engines_view.h"
#include "report/framework_view.h"
#include "report/order_answer.h"
#include "report/order_drawing.h"
#include "report/order_view.h"
#include "report/pair_matrix.h"
#include "report/pair_table.h"
#include "report/rule_view.h"
#include "report/runs_view.h"
#include "report/symptoms.h"
#include "report/transform_view.h"
#include "report/versions_view.h"

namespace ordercheck {

// Everything that the generated pages say; each page takes what it is about.
struct PageContents {
  OrderAnswer answer;  // for reader_target, the version that the ordering page is about
  std::vector<DiscussionView> discussions;
  std::vector<RecommendedOrder> orders;
  OrderDrawing drawing;  // of the first order
  PageCount count;
  std::vector<PairTableRow> pair_table;
  PairMatrix pairs;
  std::vector<Symptom> symptoms;
  std::vector<TransformView> transforms;  // that need a word of their own: ep, simple_fsdp, auto_parallel
  std::vector<EngineView> engines;
  std::vector<AgreementView> agreements;  // of the same engines
  std::vector<VersionsView> changes;      // between versions
  EnginesView between_engines;
  std::vector<FrameworkRow> frameworks;
  std::vector<OwnRun> own_runs;
  std::vector<Disagreement> disagreements;
  std::vector<RulePage> rules;
};

PageContents pages_of(const Sources& sources, const std::vector<EngineRuns>& engines);

nlohmann::ordered_json ordering_data(const PageContents& pages);        // docs/parallelism_ordering.md
nlohmann::ordered_json evidence_index_data(const PageContents& pages);  // docs/evidence/README.md
nlohmann::ordered_json compared_data(const PageContents& pages);        // docs/evidence/compared.md
nlohmann::ordered_json rule_index_data(const PageContents& pages);      // docs/rules/README.md
nlohmann::ordered_json data_of(const DiscussionView& discussion);       // docs/threads/<name>.md
nlohmann::ordered_json data_of(const RulePage& page);                   // docs/rules/<slug>.md
nlohmann::ordered_json data_of(const EngineView& view);                 // docs/evidence/<engine>-<version>.md

}  // namespace ordercheck
