#include "plan/covering.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/coverage.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "unit/protocol/sample_hello.h"
#include "unit/rule/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

CoveringSpace space_of(const std::vector<std::string>& parameters, int most_ranks = 4) {
  CoveringSpace space{.strength = 2, .most_ranks = most_ranks, .parameters = {}};
  for (const std::string& text : parameters) space.parameters.push_back(*parse_parameter(text));
  return space;
}

std::vector<std::string> texts(const std::vector<Case>& cases) {
  std::vector<std::string> made;
  for (const Case& c : cases) made.push_back(print(c));
  return made;
}

const std::vector<std::string> kThree{"none | tp=2 | tp=4", "none | fsdp=2", "none | ac"};

TEST(Covering, AParameterIsItsLevels) {
  const auto parameter = parse_parameter("none | fsdp=2:reshard=never | ddp=2");
  ASSERT_TRUE(parameter) << parameter.error().message;
  EXPECT_EQ(parameter->name, "fsdp/ddp");
  ASSERT_EQ(parameter->levels.size(), 3u);
  EXPECT_FALSE(parameter->levels[0].item);
  EXPECT_EQ(parameter->levels[1].text, "fsdp=2:reshard=never");
  EXPECT_EQ(parse_parameter("accumulation=1|accumulation=4")->levels[1].accumulation, 4);
  EXPECT_EQ(parse_parameter("accumulation=1 | accumulation=4")->name, "accumulation");
}

TEST(Covering, WhatIsNoParameterIsToldInOneLine) {
  const auto error_of = [](const char* text) { return parse_parameter(text).error().message; };
  EXPECT_THAT(error_of("tp=2"), HasSubstr("one level"));
  EXPECT_THAT(error_of("none | tp=2 | none"), HasSubstr("'none' stands twice"));
  EXPECT_THAT(error_of("none | tq=2"), HasSubstr("unknown transform 'tq'"));
  EXPECT_THAT(error_of("none | tp=2,ac"), HasSubstr("expected one item"));
  EXPECT_THAT(error_of("accumulation=0 | accumulation=1"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(error_of("none | accumulation=2"), HasSubstr("mixes"));
  EXPECT_EQ(why_not_covering(space_of(kThree)), "");
  EXPECT_THAT(why_not_covering(space_of({"none | tp=2", "none | ac"})), HasSubstr("at least 3"));
  EXPECT_THAT(why_not_covering(space_of({"none | tp=2", "none | ac", "none | tp=4"})),
              HasSubstr("two parameters have levels of tp"));
  CoveringSpace quadruples = space_of(kThree);
  quadruples.strength = 4;
  EXPECT_THAT(why_not_covering(quadruples), HasSubstr("expected 2 or 3"));
}

TEST(Covering, RowsStandInALegalOrderAndFitTheRanks) {
  const CoveringSpace space = space_of(kThree);
  const auto cases = covering_cases(space, sample_rules(), sample_hello(), "llama", 2);
  EXPECT_THAT(texts(cases), testing::Contains(HasSubstr("tp=2"))) << "the rule says that tp goes before fsdp";
  for (const Case& c : cases) {
    EXPECT_LE(world_size(mesh_of(c.stack)), 4) << print(c);
    EXPECT_THAT(print(c), testing::Not(testing::HasSubstr("fsdp=2,tp"))) << "an order that a rule speaks against";
  }
  std::vector<Combination> rows;
  for (const Case& c : cases) rows.push_back(*combination_of(c, space));
  const Coverage coverage = coverage_of(rows, combinations_of(space, sample_rules(), sample_hello(), "llama"), 2);
  EXPECT_EQ(coverage, (Coverage{.strength = 2, .feasible = 15, .covered = 15, .ruled_out = 1, .rows = cases.size()}))
      << "tp=4 with fsdp=2 needs 8 ranks";
}

TEST(Covering, WhatARuleForbidsAndWhatTheEngineLacksIsRuledOut) {
  Rule clash;
  clash.id = "CLA-901";
  clash.kind = RuleKind::clash;
  clash.one = *parse_pattern("ac");
  clash.other = *parse_pattern("fsdp");
  clash.harm = Harm::wrong;
  clash.holds = {*parse_holds("native>=1")};
  clash.witness = {.bad = *parse_stack("ac,fsdp=2"), .good = *parse_stack("ac")};
  const auto allowed = [&](const std::vector<Rule>& rules, const char* text) {
    const CoveringSpace space = space_of({"none | tp=2", "none | fsdp=2", "none | ac | compile"});
    return combinations_of(space, rules, sample_hello(), "llama").allows(*combination_of(*parse_case(text), space));
  };
  EXPECT_TRUE(allowed({}, "ac,fsdp=2"));
  EXPECT_FALSE(allowed({clash}, "ac,fsdp=2"));
  EXPECT_FALSE(allowed({clash}, "tp=2,fsdp=2,ac")) << "whatever the order";
  EXPECT_FALSE(allowed({}, "compile")) << "the engine builds none";
  clash.holds = {*parse_holds("native>=9")};
  EXPECT_TRUE(allowed({clash}, "ac,fsdp=2")) << "of another version";
}

TEST(Covering, ACaseIsTheCombinationOfItsItems) {
  const CoveringSpace space = space_of({"none | tp=2 | tp=2:sp=off", "none | ac", "accumulation=2 | accumulation=4"});
  EXPECT_EQ(combination_of(*parse_case("ac,tp=2:sp=off accumulation=4"), space), (Combination{2, 1, 1}));
  EXPECT_EQ(combination_of(*parse_case("(nothing)"), space), (Combination{0, 0, 0}));
  EXPECT_EQ(combination_of(*parse_case("tp=4"), space), std::nullopt) << "no level";
  EXPECT_EQ(combination_of(*parse_case("ac,ac"), space), std::nullopt) << "an item too many";
  EXPECT_EQ(combination_of(*parse_case("ac accumulation=8"), space), std::nullopt);
}

TEST(Covering, ASpaceThatCoversNothingHasNoCases) {
  EXPECT_TRUE(covering_cases({}, sample_rules(), sample_hello(), "llama", 2).empty());
}

}  // namespace
}  // namespace ordercheck
