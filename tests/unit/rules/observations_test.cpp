#include "rules/observations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/check.h"
#include "rules/load.h"

namespace ordercheck {
namespace {

EvidenceTable table() {
  EvidenceTable made;
  made.engine = "native";
  made.versions = {"libtorch 2.11.0"};
  made.device = "cpu";
  Observation row;
  row.engine = "native";
  row.version = "2.11.0";
  row.case_text = "fsdp=2,tp=2";
  row.verdict = Verdict::fails;
  row.phase = Phase::apply;
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
  EXPECT_EQ(seen[0].counters.graph_breaks, 3);
  EXPECT_EQ(seen[0].collectives.size(), 1u);
}

TEST(ObservationsOf, LeaveOutWhatAnotherDeviceShowed) {
  EvidenceTable of_gpu = table();
  of_gpu.device = "cuda";
  EXPECT_FALSE(decides(of_gpu));
  EXPECT_TRUE(observations_of({of_gpu}).empty());
  EXPECT_EQ(observations_of({of_gpu, table()}).size(), 1u);
}

TEST(ObservationsOf, LeaveOutTheControls) {
  EvidenceTable plain = table();
  plain.arithmetic = "plain";
  EXPECT_TRUE(observations_of({plain}).empty());
}

std::vector<Observation> read(const ReadingOf& reading_of) {
  const auto tables = read_evidence(ORDERCHECK_SOURCE_DIR "/matrix/evidence", reading_of);
  EXPECT_TRUE(tables) << (tables ? "" : tables.error().message);
  return tables ? observations_of(*tables) : std::vector<Observation>{};
}

// Whoever asks about one version reads little, and must hear what all the evidence says.
TEST(ReadingInTwoGoes, GradesEveryPageAsAllEvidenceDoes) {
  const auto rules = load_rules(ORDERCHECK_SOURCE_DIR "/rules");
  ASSERT_TRUE(rules) << rules.error().message;
  const std::vector<Observation> all = read([](const EvidenceTable&, std::string_view) { return Reading::whole; });
  for (const char* written :
       {"pytorch-2.6", "pytorch-2.11.0", "pytorch-2.13", "pytorch-2.15.0", "pytorch-3", "native-2.11.0", "torchtitan-0.2.2"}) {
    const auto target = parse_target(written);
    ASSERT_TRUE(target) << target.error().message;
    std::vector<Observation> some = read(reading_own(*target, *rules));
    for (Observation& seen : read(reading_others(*target, *rules, some))) some.push_back(std::move(seen));
    EXPECT_LT(some.size(), all.size());
    for (const Rule& rule : *rules)
      EXPECT_EQ(grade_of(rule, *target, some), grade_of(rule, *target, all)) << rule.id << " for " << written;
  }
}

TEST(ReadingInTwoGoes, HasEveryRunOfItsOwnVersion) {
  const auto rules = load_rules(ORDERCHECK_SOURCE_DIR "/rules");
  ASSERT_TRUE(rules) << rules.error().message;
  const std::vector<Observation> own = read(reading_own(*parse_target("pytorch-2.15.0"), *rules));
  std::size_t wanted = 0;
  for (const Observation& seen : read([](const EvidenceTable&, std::string_view) { return Reading::whole; }))
    wanted += seen.engine == "pytorch" && seen.version == "2.15.0" ? 1u : 0u;
  EXPECT_EQ(own.size(), wanted);
}

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
