#include "check/observed.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

EvidenceTable table() {
  EvidenceTable made;
  made.engine = "native";
  made.versions = {"libtorch 2.11.0"};
  EvidenceRow row;
  row.case_text = "fsdp=2,tp=2";
  row.verdict = Verdict::fails;
  row.phase = "apply";
  row.message = "refused";
  row.counters.graph_breaks = 3;
  row.collectives = {{"all_gather", "tp", Phase::forward, 2, 8}};
  made.rows = {row};
  return made;
}

TEST(ObservationsOf, TakeEveryRow) {
  const std::vector<Observation> seen = observations_of({table()});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].engine, "native");
  EXPECT_EQ(seen[0].version, "2.11.0");
  EXPECT_EQ(seen[0].verdict, Verdict::fails);
  EXPECT_EQ(seen[0].phase, Phase::apply);
  EXPECT_EQ(seen[0].counters.at("graph_breaks"), 3);
  EXPECT_EQ(seen[0].counters.at("all_gather@tp"), 2);
}

TEST(ObservationsOf, LeaveOutTheControls) {
  EvidenceTable plain = table();
  plain.arithmetic = "plain";
  EXPECT_TRUE(observations_of({plain}).empty());
}

}  // namespace
}  // namespace ordercheck
