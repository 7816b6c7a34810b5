#include "check/backend_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/evidence_for.h"

namespace ordercheck {
namespace {

Observation row(const char* text, Verdict verdict, const char* message, std::int64_t flops) {
  Observation made;
  made.case_text = text;
  made.verdict = verdict;
  made.message = message;
  made.counters.matmul_flops = flops;
  return made;
}

std::vector<Observation> seen_of(std::vector<Observation> rows) {
  EvidenceTable table;
  table.engine = "pytorch";
  table.versions = {"torch 2.15.0"};
  table.device = "cpu";
  table.rows = std::move(rows);
  return observations_of({table});
}

std::optional<std::string> renamed(const char* text) {
  const auto under = under_usual_backend(*parse_case(text));
  return under ? std::optional(print(*under)) : std::nullopt;
}

TEST(UnderUsualBackend, IsTheSameCaseWithTheBackendNamed) {
  EXPECT_EQ(renamed("compile:wrap@model,sac engine=pytorch"), "compile=inductor:wrap@model,sac engine=pytorch");
  EXPECT_EQ(renamed("compile=aot_eager,sac engine=pytorch"), std::nullopt);
  EXPECT_EQ(renamed("sac engine=pytorch"), std::nullopt);
}

TEST(PreferUsualBackend, WhereItsRunCameOutOtherwise) {
  const auto seen = seen_of({row("compile,sac engine=pytorch", Verdict::equal, "", 12),
                             row("compile=inductor,sac engine=pytorch", Verdict::ignored, "sac has no effect", -1)});
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].case_text, "compile,sac engine=pytorch");
  EXPECT_EQ(seen[0].verdict, Verdict::ignored);
  EXPECT_EQ(seen[0].message, "sac has no effect");
  EXPECT_EQ(seen[0].backend, "with inductor's code generation; without it equal");
  EXPECT_EQ(seen[1].backend, "");
}

TEST(PreferUsualBackend, WhereBothAgreeTheStandInsCountersStay) {
  const auto seen = seen_of({row("ac,compile engine=pytorch", Verdict::equal, "", 12),
                             row("ac,compile=inductor engine=pytorch", Verdict::equal, "", -1)});
  EXPECT_EQ(seen[0].counters.matmul_flops, 12);
  EXPECT_EQ(seen[0].backend, "the same with inductor's code generation and without it");
}

TEST(PreferUsualBackend, ALossThatCodeGenerationHidesFromTheCountersStays) {
  const auto seen = seen_of({row("compile,tp=2 engine=pytorch", Verdict::ignored, "tp has no effect", 12),
                             row("compile=inductor,tp=2 engine=pytorch", Verdict::equal, "", -1)});
  EXPECT_EQ(seen[0].verdict, Verdict::ignored);
  EXPECT_EQ(seen[0].backend, "counted without inductor's code generation, which hides it");
}

TEST(PreferUsualBackend, AnEngineThatNeverRanUnderItHasOneCompiler) {
  const auto seen = seen_of({row("ac,compile engine=pytorch", Verdict::equal, "", 12)});
  EXPECT_EQ(seen[0].backend, "");
}

TEST(PreferUsualBackend, AnUndecidedRunOfItDecidesNothing) {
  const auto seen = seen_of({row("ac,compile engine=pytorch", Verdict::equal, "", 12),
                             row("ac,compile=inductor engine=pytorch", Verdict::unrun, "timed out", -1),
                             row("compile engine=pytorch", Verdict::equal, "", 12)});
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(seen[i].verdict, Verdict::equal);
    EXPECT_EQ(seen[i].backend, "run without inductor's code generation only");
  }
}

}  // namespace
}  // namespace ordercheck
