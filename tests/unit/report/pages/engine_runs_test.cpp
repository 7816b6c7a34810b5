#include "report/pages/engine_runs.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/pages/page_data.h"
#include "report/pages/rule_view.h"
#include "rules/load.h"
#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const Outcome& outcome(const EngineRuns& engine, const char* text) {
  const auto c = parse_case(text);
  EXPECT_TRUE(c);
  const Outcome* found = find_outcome(engine, *c);
  EXPECT_NE(found, nullptr) << text;
  static const Outcome kNone;
  return found == nullptr ? kNone : *found;
}

TEST(EngineRuns, HoldsEveryRowAgainstTodaysRules) {
  const Sources sources = mini();
  const auto engines = engine_runs_of(sources);
  ASSERT_EQ(engines.size(), 1u);
  EXPECT_EQ(print_engine(engines[0]), "native 2.11.0, cpu");
  EXPECT_EQ(engines[0].outcomes.size(), engines[0].table.rows.size());
  EXPECT_EQ(outcome(engines[0], "tp=2,fsdp=2").agreement, Agreement::confirmed);
  EXPECT_EQ(outcome(engines[0], "fsdp=2,tp=2").agreement, Agreement::confirmed);
  EXPECT_EQ(outcome(engines[0], "ac").agreement, Agreement::undecided);
  const Outcome& hang = outcome(engines[0], "fsdp=2,ac,tp=2");
  EXPECT_EQ(hang.agreement, Agreement::contradiction);
  EXPECT_EQ(hang.seen.operation, "all_reduce");
  EXPECT_EQ(hang.seen.group, "tp");
}

// A GPU's table of the same build has cases of the same names; what they showed there is on a page of their own.
TEST(EngineRuns, AnotherDevicesRunsLeaveTheOrderingPageAsItIs) {
  const Sources of_cpu = mini_on_pytorch();
  Sources both = of_cpu;
  EvidenceTable of_gpu = of_cpu.evidence.front();
  of_gpu.device = "cuda";
  for (Observation& row : of_gpu.rows) row.verdict = Verdict::differs;
  both.evidence.push_back(of_gpu);
  const auto data_of = [](const Sources& sources) {
    auto data = ordering_data(pages_of(sources, engine_runs_of(sources)));
    data.erase("engines");  // the pages of evidence, which are one more
    return data;
  };
  EXPECT_EQ(data_of(both), data_of(of_cpu));
  EXPECT_EQ(that_decide(engine_runs_of(both)).size(), 1u);
  EXPECT_EQ(pages_of(both, engine_runs_of(both)).engines.size(), 2u);
  both.evidence.front() = of_gpu;
  both.evidence.front().device = "cpu";
  EXPECT_NE(data_of(both), data_of(of_cpu)) << "a page that no run changes shows nothing";
}

TEST(EngineRuns, FindsTheNewestVersionWhoseTableDecides) {
  Sources sources = mini();
  const EvidenceTable first = sources.evidence.front();
  for (const auto& [version, device] : {std::pair{"2.15.0", "cpu"}, {"2.9.0", "cpu"}, {"2.16.0", "cuda"}}) {
    sources.evidence.push_back(first);
    sources.evidence.back().versions = {std::string("libtorch ") + version};
    sources.evidence.back().device = device;
  }
  const auto engines = engine_runs_of(sources);
  EXPECT_EQ(newest_that_decides("native", engines), &engines.at(1));
  EXPECT_EQ(newest_that_decides("nobody", engines), nullptr);
}

TEST(EngineRuns, ListsAnExplainedContradictionWithItsExplanation) {
  const auto engines = engine_runs_of(mini());
  const Outcome& looked_through = outcome(engines.at(0), "ac,tp=2");
  EXPECT_EQ(looked_through.agreement, Agreement::contradiction);
  EXPECT_EQ(looked_through.explanation, "the invented engine looks through the wrapper");
}

TEST(EngineRuns, HoldsCommutingPairsToTheirCounters) {
  const auto engines = engine_runs_of(mini());
  const Outcome& one = outcome(engines.at(0), "ac,fsdp=2");
  EXPECT_EQ(one.agreement, Agreement::contradiction);
  EXPECT_THAT(one.disagreement, HasSubstr("parameter_bytes_peak is 4 and 5"));
}

TEST(EngineRuns, PassesOverOtherArithmetics) {
  Sources sources = mini();
  sources.evidence.at(0).arithmetic = "plain";
  EXPECT_TRUE(engine_runs_of(sources).empty());
}

TEST(RuleView, GradesForEveryEngineThatTheClaimIsAbout) {
  const Sources sources = mini();
  const auto engines = engine_runs_of(sources);
  const auto both = standings_of(*find_rule(sources.rules, "ORD-901"), sources, engines);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].target, "pytorch 2.6");
  EXPECT_EQ(both[0].bad, "not run");
  EXPECT_EQ(both[1].target, "native 2.11.0");
  EXPECT_EQ(both[1].grade, "reproduced");
  EXPECT_EQ(both[1].bad, "fails in apply");
  EXPECT_EQ(both[1].good, "equal");
  const auto one = standings_of(*find_rule(sources.rules, "ORD-902"), sources, engines);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].grade, "refuted");
}

TEST(RuleView, ShowsTheRunThatTheGradeTakesWhereInductorAndItsStandInPart) {
  Sources sources = mini_on_pytorch();
  Rule rule = *find_rule(sources.rules, "ORD-901");
  rule.witness = {.bad = *parse_stack("compile"), .good = *parse_stack("fsdp=2")};
  Observation seen{.engine = "pytorch", .version = "2.15.0", .case_text = "compile engine=pytorch", .verdict = Verdict::equal};
  sources.evidence.at(0).rows.push_back(seen);
  seen.case_text = "compile=inductor engine=pytorch";
  seen.verdict = Verdict::fails;
  seen.phase = Phase::backward;
  sources.evidence.at(0).rows.push_back(seen);
  sources.observations = observations_of(sources.evidence);
  EXPECT_EQ(standings_of(rule, sources, engine_runs_of(sources)).at(0).bad, "fails in backward");
}

}  // namespace
}  // namespace ordercheck
