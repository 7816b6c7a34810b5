#include "cli/settings/project_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stack/notation.h"

namespace ordercheck {
namespace {

nlohmann::json sarif_run(const StackReport& stack) {
  const ProjectReport report{
      .path = ".ordercheck.toml", .from_repository = "a/.ordercheck.toml", .stacks = {stack}, .expired = {}, .idle = {}};
  return nlohmann::json::parse(render_project_sarif(report, {}, "1"))["runs"][0];
}

TEST(ProjectSarif, ReportsARuleThatWasNotJudgedAsANotificationAndNoResult) {
  StackReport stack;
  stack.entry.name = "a";
  EXPECT_FALSE(sarif_run(stack)["invocations"][0].contains("toolExecutionNotifications"));
  stack.report.not_judged = {{.rule = "FIT-002", .sizes = {"heads", "kv_heads"}}};
  const nlohmann::json run = sarif_run(stack);
  EXPECT_TRUE(run["results"].empty());
  EXPECT_TRUE(run["tool"]["driver"]["rules"].empty());
  const nlohmann::json notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["level"], "note");
  EXPECT_EQ(notes[0]["message"]["text"],
            "a: not judged, sizes unknown: FIT-002 (heads, kv_heads); give them in the sizes of the stack");
  // A finding stays a result.
  stack.report.findings = {{.rule = "ORD-1", .severity = Severity::error}};
  EXPECT_EQ(sarif_run(stack)["results"].size(), 1u);
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

// Of code: each finding once a function, in three lines, and never silence about what was not followed.
class CodeView : public testing::Test {
 protected:
  static StackReport stack(const std::string& name) {
    StackReport one;
    one.entry = {.name = name, .stack = parse_stack("fsdp,tp").value(), .job = Job({}, {}), .line = 3, .file = "a.py"};
    one.report.stack = one.entry.stack;
    for (Item& item : one.report.stack.items) item.origin = {"a.py", 9};
    one.report.findings = {{.rule = "ORD-1",
                            .headline = "fsdp is applied before tp",
                            .severity = Severity::error,
                            .parties = {{0, "fsdp"}, {1, "tp"}},
                            .instead = "tp goes before fsdp",
                            .why = "so it is.",
                            .tries = {{parse_stack("tp,fsdp").value(), "equal when run"}}}};
    one.report.not_judged = {{.rule = "FIT-1", .sizes = {"heads"}}};
    return one;
  }
  static ProjectReport report(std::vector<StackReport> stacks, std::vector<OpenPlace> open = {}) {
    return {.path = "a.py",
            .from_repository = "a.py",
            .of_code = true,
            .code = {{"a.py", "src/a.py"}},
            .stacks = std::move(stacks),
            .expired = {},
            .idle = {},
            .open = std::move(open)};
  }
};

TEST_F(CodeView, SaysAFindingOnceAFunctionInThreeLines) {
  EXPECT_EQ(render_code_text(report({stack("f, where a"), stack("f, where not a")})),
            "a.py:9: error ORD-1: f, where a: fsdp is applied before tp (in 2 stacks of the function)\n"
            "  tp goes before fsdp: so it is.\n"
            "  try tp,fsdp [equal when run]\n"
            "rules about sizes were not judged: heads unknown; give them with --set and --ranks\n"
            "2 stacks: 1 error, 0 advisories\n");
  StackReport of_another = stack("g");
  of_another.entry.line = 20;
  EXPECT_EQ(nlohmann::json::parse(render_project_sarif(report({stack("f"), of_another}), {}, "1"))["runs"][0]["results"].size(),
            2u);
}

TEST_F(CodeView, NamesWhatWasNotFollowedInEveryFormat) {
  StackReport right = stack("f");
  right.report.findings.clear();
  right.report.not_judged.clear();
  const ProjectReport open =
      report({right}, {{{"a.py", 7}, "not understood: m.apply_tp(mesh): its class is not among the files read"}});
  EXPECT_EQ(render_code_text(open),
            "a.py:7: not understood: m.apply_tp(mesh): its class is not among the files read\n"
            "1 stack: undecided, 1 call or file not understood\n");
  EXPECT_EQ(render_project_github(open).substr(0, 66), "::warning file=src/a.py,line=7,title=ordercheck not-understood::no");
  EXPECT_NE(render_project_junit(open).find("<skipped"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(render_project_json(open))["not_understood"][0]["where"]["line"], 7);
  EXPECT_EQ(render_code_text(report({right})), "1 stack: nothing against them in what could be judged\n");
  EXPECT_EQ(render_code_text(report({})), "no stack found: nothing was judged\n");
}

// Two stacks of one function and one of another, all with a finding of ORD-1 at a.py:9. A comment at line 8 covers `line`.
class CodeComment : public CodeView {
 protected:
  static ProjectReport with_comment(const std::string& rule, int line, const std::string& file = "a.py") {
    Project project{.path = "a.py", .rules = {}, .stacks = {}, .allows = {}};
    std::vector<Report> reports;
    for (const char* name : {"f, where a", "f, where not a", "g"}) {
      StackReport one = stack(name);
      if (one.entry.name == "g") one.entry.line = 20;
      project.stacks.push_back(one.entry);
      reports.push_back(one.report);
    }
    project.allows = {{.rule = rule, .reason = "as we measured", .line = 8, .file = file, .covers = line}};
    ProjectReport made = judged(project, std::move(reports), "2027-01-01", "a.py", {{"a.py", "src/a.py"}});
    made.of_code = true;
    return made;
  }
};

TEST_F(CodeComment, SuppressesTheFindingsOfItsLineAndIsCountedOnceAFunction) {
  const ProjectReport found = with_comment("ORD-1", 9);
  EXPECT_EQ(errors_of(found), 0);
  EXPECT_EQ(advice_of(found), 0);
  EXPECT_EQ(render_code_text(found),
            "2 findings suppressed by a comment at a.py:8: as we measured\n"
            "rules about sizes were not judged: heads unknown; give them with --set and --ranks\n"
            "3 stacks: nothing against them in what could be judged, 2 findings allowed\n");
  EXPECT_NE(render_project_github(found).find("2 findings suppressed by a comment at a.py:8: as we measured\n"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(render_project_json(found))["stacks"][0]["allowed"][0]["line"], 8);
}

TEST_F(CodeComment, IsASuppressionInSourceInSarif) {
  const auto run = nlohmann::json::parse(render_project_sarif(with_comment("ORD-1", 9), {}, "1"))["runs"][0];
  ASSERT_EQ(run["results"].size(), 2u);
  for (const auto& result : run["results"]) {
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 9);
    EXPECT_EQ(result["suppressions"], nlohmann::json::parse(R"([{"kind": "inSource", "justification": "as we measured"}])"));
  }
  const auto other = nlohmann::json::parse(render_project_sarif(with_comment("ORD-2", 9), {}, "1"))["runs"][0];
  for (const auto& result : other["results"]) EXPECT_FALSE(result.contains("suppressions"));
}

TEST_F(CodeComment, ThatSuppressesNothingIsAdvice) {
  for (const ProjectReport& found : {with_comment("ORD-2", 9), with_comment("ORD-1", 8), with_comment("ORD-1", 9, "b.py")}) {
    EXPECT_EQ(errors_of(found), 3);
    EXPECT_EQ(advice_of(found), 1);
    EXPECT_EQ(found.stacks[0].report.findings.size(), 1u);
  }
  EXPECT_NE(render_code_text(with_comment("ORD-1", 7))
                .find("a.py:8: advice idle-allow: the comment ignores ORD-1 (as we measured), but line 7 has no such finding: "
                      "remove the id\n"),
            std::string::npos);
}

}  // namespace
}  // namespace ordercheck
