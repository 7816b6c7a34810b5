#include "project/project_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stack/notation.h"

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

// Of a stack that another project's file states: a finding stands where the last of its items does.
TEST(ProjectView, FindsItemsWhereAFileStatesThem) {
  Report report;
  report.stack = parse_stack("fsdp=2,tp=2").value();
  report.stack.items[0].origin = {"train.yaml", 3};
  report.stack.items[1].origin = {"more.json", 9};
  report.findings = {{.rule = "ORD-1", .severity = Severity::error, .parties = {{0, "fsdp=2"}, {1, "tp=2"}}},
                     {.rule = "ORD-2", .severity = Severity::error, .parties = {{0, "fsdp=2"}}}};
  ProjectReport judged_there = judged(report, "train.yaml", "a/train.yaml");
  judged_there.code = {{"train.yaml", "a/train.yaml"}, {"more.json", "a/more.json"}};
  const auto results = nlohmann::json::parse(render_project_sarif(judged_there, {}, "1"))["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  const auto place = [&](std::size_t at) { return results[at]["locations"][0]["physicalLocation"]; };
  EXPECT_EQ(place(0)["artifactLocation"]["uri"], "a/more.json");
  EXPECT_EQ(place(0)["region"]["startLine"], 9);
  EXPECT_EQ(place(1)["artifactLocation"]["uri"], "a/train.yaml");
  EXPECT_EQ(place(1)["region"]["startLine"], 3);
  const std::string github = render_project_github(judged_there);
  EXPECT_EQ(github.substr(0, 55), "::error file=a/more.json,line=9,title=ordercheck ORD-1:");
  // Of no file, no place.
  for (Item& item : report.stack.items) item.origin = {};
  EXPECT_EQ(render_project_github(judged(report)).substr(0, 32), "::error title=ordercheck ORD-1::");
}

}  // namespace
}  // namespace ordercheck
