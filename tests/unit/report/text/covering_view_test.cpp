#include "report/text/covering_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stack/notation.h"

namespace ordercheck {
namespace {

CoveringSet sample_set(const std::vector<const char*>& cases) {
  CoveringSpace space{.strength = 2, .most_ranks = 4, .parameters = {}};
  for (const char* text : {"none | tp=2", "none | fsdp=2 | ddp=2", "accumulation=2 | accumulation=4"})
    space.parameters.push_back(*parse_parameter(text));
  // No ddp with tp.
  const Combinations combinations({2, 3, 2}, [](const Combination& one) { return one[0] == 0 || one[1] != 2; });
  Plan plan{.engine = "native"};
  for (const char* text : cases) plan.cases.push_back({*parse_case(text), {}});
  return covering_set_of(plan, space, combinations, 2);
}

TEST(CoveringView, SaysWhatIsCoveredByHowManyRows) {
  EXPECT_EQ(render_covering_text(sample_set({"tp=2,fsdp=2", "ddp=2 accumulation=4"})),
            "pairs: 6 of 15 feasible covered by 2 rows; 1 ruled out\n");
  EXPECT_EQ(render_covering_text(sample_set({"tp=2"})), "pairs: 3 of 15 feasible covered by 1 row; 1 ruled out\n");
}

TEST(CoveringView, CountsNoCaseThatIsNoneOfTheCombinations) {
  EXPECT_EQ(render_covering_text(sample_set({"tp=4", "ac", "fsdp=2 accumulation=3"})),
            "pairs: 0 of 15 feasible covered by 0 rows; 1 ruled out\n");
  EXPECT_EQ(render_covering_text(sample_set({"tp=2,ddp=2"})), "pairs: 0 of 15 feasible covered by 0 rows; 1 ruled out\n")
      << "what is ruled out covers nothing";
}

TEST(CoveringView, ExportsParametersConstraintsAndRows) {
  const auto json = nlohmann::json::parse(render_covering_json(sample_set({"fsdp=2,tp=2"})));
  EXPECT_EQ(json["parameters"][1], nlohmann::json::parse(R"({"name": "fsdp/ddp", "levels": ["none", "fsdp=2", "ddp=2"]})"));
  EXPECT_EQ(json["ruled_out"], nlohmann::json::parse(R"([{"tp": "tp=2", "fsdp/ddp": "ddp=2"}])"));
  EXPECT_EQ(json["rows"][0]["case"], "fsdp=2,tp=2");
  EXPECT_EQ(json["rows"][0]["levels"],
            nlohmann::json::parse(R"({"tp": "tp=2", "fsdp/ddp": "fsdp=2", "accumulation": "accumulation=2"})"));
  EXPECT_EQ(json["coverage"]["covered"], 3);
}

}  // namespace
}  // namespace ordercheck
