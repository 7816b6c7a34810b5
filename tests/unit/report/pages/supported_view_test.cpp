#include "report/pages/supported_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

std::vector<Holds> holds_of(const std::vector<std::string>& texts) {
  std::vector<Holds> holds;
  for (const std::string& text : texts) holds.push_back(parse_holds(text).value());
  return holds;
}

std::vector<std::string> lines_of(const Sources& sources) {
  std::vector<std::string> lines;
  for (const SupportedProject& one : supported_projects(sources, engine_runs_of(sources)))
    lines.push_back(one.project + " | " + one.runs + " | " + one.rules);
  return lines;
}

TEST(SupportedProjects, HaveTheVersionsThatRanAndTheOldestOfARule) {
  Sources sources = mini_on_pytorch();
  for (Rule& rule : sources.rules) rule.holds = holds_of({"pytorch>=2.11", "math"});
  sources.rules.front().holds = holds_of({"pytorch>=2.6,<2.12", "pytorch-ddp>=1.12", "megatron>=0", "other>0.2"});
  EvidenceTable of_gpu = sources.evidence.front();
  of_gpu.device = "cuda";
  sources.evidence.push_back(of_gpu);
  EXPECT_THAT(lines_of(sources), testing::ElementsAre("pytorch | 2.15.0; 2.15.0 (cuda) | 2.6 or newer",
                                                      "megatron | none | any version", "other | none | 0.2 or newer"));
}

TEST(SupportedProjects, LeaveOutTheEngineThatIsIncluded) {
  Sources sources = mini();
  for (Rule& rule : sources.rules) rule.holds = holds_of({"native>=1"});
  sources.definition = "other";
  EXPECT_THAT(lines_of(sources), testing::ElementsAre("native | 2.11.0 | 1 or newer"));
  sources.definition = "native";
  EXPECT_THAT(lines_of(sources), testing::IsEmpty());
}

TEST(ImportedSources, AreNamedOnceWithTheirDate) {
  Framework one, other, third;
  one.source = "b 12ab, a.py 3";
  one.date = "2026-07-24";
  other = one;
  other.source = "b 12ab, c.py 4";
  third.source = "a 9";
  EXPECT_EQ(imported_sources({one, other, third}), "a 9 and b 12ab (2026-07-24)");
}

}  // namespace
}  // namespace ordercheck
