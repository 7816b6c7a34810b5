#include "project/project_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

nlohmann::json sarif_results(const StackReport& stack) {
  const ProjectReport report{
      .path = ".ordercheck.toml", .from_repository = "a/.ordercheck.toml", .stacks = {stack}, .expired = {}, .idle = {}};
  return nlohmann::json::parse(render_project_sarif(report, {}, "1"))["runs"][0]["results"];
}

TEST(ProjectSarif, WhatCouldNotBeJudgedIsANote) {
  StackReport stack;
  stack.entry.name = "a";
  stack.entry.line = 7;
  EXPECT_TRUE(sarif_results(stack).empty());
  stack.report.not_judged = {{.rule = "FIT-002", .sizes = {"heads", "kv_heads"}}};
  const nlohmann::json results = sarif_results(stack);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["ruleId"], "FIT-002");
  EXPECT_EQ(results[0]["level"], "note");
  EXPECT_EQ(results[0]["message"]["text"],
            "a: not judged, sizes unknown: heads, kv_heads; give them in the sizes of the stack");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
}

}  // namespace
}  // namespace ordercheck
