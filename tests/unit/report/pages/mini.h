// A small checkout: three invented rules, two invented orders and an invented table of evidence.
#pragma once

#include <gtest/gtest.h>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "rules/observations.h"

namespace ordercheck {

inline std::filesystem::path mini_folder() { return ORDERCHECK_SOURCE_DIR "/tests/data/mini"; }

inline Sources mini() {
  const auto sources = load_sources(mini_folder());
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().message);
  return sources ? *sources : Sources{};
}

// The same without a run.
inline Sources mini_unrun() {
  Sources sources = mini();
  sources.evidence.clear();
  sources.observations.clear();
  return sources;
}

// The same runs as if PyTorch 2.15.0 had shown them: the version that a reader means.
inline Sources mini_on_pytorch() {
  Sources sources = mini();
  for (EvidenceTable& table : sources.evidence) {
    table.engine = "pytorch";
    table.versions = {"torch 2.15.0"};
    for (Observation& row : table.rows) {
      row.case_text += " engine=pytorch";
      row.engine = "pytorch";
      row.version = "2.15.0";
    }
  }
  sources.observations = observations_of(sources.evidence);
  return sources;
}

// Its table, had fsdp=2,tp=2 run as tp=2,fsdp=2 did.
inline EvidenceTable table_where_order_does_not_matter(const Sources& sources) {
  EvidenceTable table = sources.evidence.at(0);
  const Observation* good = find_row(table, "tp=2,fsdp=2");
  EXPECT_NE(good, nullptr);
  for (Observation& row : table.rows)
    if (row.case_text == "fsdp=2,tp=2" && good != nullptr) {
      row = *good;
      row.case_text = "fsdp=2,tp=2";
    }
  return table;
}

}  // namespace ordercheck
