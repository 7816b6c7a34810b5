#include "cli/settings/project_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/settings/project_report.h"
#include "cli/settings/project_view.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kStack = "[[stack]]\nname = \"a\"\nstack = \"tp=2,fsdp=2\"\n";

std::string error_of(const std::string& text) {
  const auto project = parse_project(text, "p.toml");
  return project ? "" : project.error().message;
}

TEST(ProjectFile, IsReadWithItsLines) {
  const auto project = parse_project(std::string(kStack) +
                                         "for = \"pytorch-2.11\"\nsizes = { heads = 32, ranks = 8 }\n"
                                         "[[allow]]\nreason = \"r\"\nrule = \"ORD-010\"\nuntil = \"2027-03-01\"\n",
                                     "p.toml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(print(project->stacks[0].stack), "tp=2,fsdp=2");
  EXPECT_EQ(project->stacks[0].line, 3);
  EXPECT_EQ(project->stacks[0].job.sizes, (Sizes{{"heads", 32}}));
  EXPECT_EQ(project->stacks[0].job.ranks, 8);
  EXPECT_EQ(project->allows[0].line, 8);
}

TEST(ProjectFile, HoldsAllThatARunNeeds) {
  const auto project =
      parse_project(std::string(kStack) +
                        "model = \"m:build\"\napply = \"m:apply\"\nbatch = \"m:batch\"\nloss = \"m:loss\"\n"
                        "optimizer = \"m:adam\"\nstep = \"m:step\"\n"
                        "widen = [\"m\", \"n\"]\narithmetic = \"float32\"\nsteps = 4\npython = \"v/bin/python\"\n",
                    "p.toml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->stacks[0].run.python, "v/bin/python");
  EXPECT_EQ(print(case_of(project->stacks[0])),
            "tp=2,fsdp=2 model=m:build apply=m:apply batch=m:batch loss=m:loss optimizer=m:adam step=m:step widen=m+n "
            "arithmetic=float32 steps=4");
}

TEST(ProjectFile, WhatTheFileDoesNotSayIsAsUsual) {
  const auto plain = parse_project(kStack, "p.toml");
  ASSERT_TRUE(plain);
  EXPECT_EQ(print(case_of(plain->stacks[0])), "tp=2,fsdp=2");
  const auto own = parse_project(std::string(kStack) + "model = \"m:build\"\napply = \"m:apply\"\n", "p.toml");
  ASSERT_TRUE(own);
  EXPECT_EQ(case_of(own->stacks[0]).settings.steps, usual_steps({.apply = "m:apply"}));
}

TEST(ProjectFile, MayBeATableOfPyproject) {
  const std::string before = "[project]\nname = \"p\"\n\n";
  const std::string stacks = "[[tool.ordercheck.stack]]\nname = \"a\"\nstack = \"tp=2\"\n";
  const auto project = parse_project(before + stacks, "below/pyproject.toml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->stacks[0].line, 6);
  EXPECT_TRUE(has_project_table(stacks));
  EXPECT_FALSE(has_project_table(before));
  EXPECT_EQ(parse_project(before, "pyproject.toml").error().message,
            "pyproject.toml: there is no [tool.ordercheck]; write the stacks as [[tool.ordercheck.stack]]");
  EXPECT_THAT(parse_project(before + stacks + "fro = 1\n", "pyproject.toml").error().message,
              HasSubstr("pyproject.toml:7: unknown key 'fro'"));
}

TEST(ProjectFile, AMistakeIsNamedWithItsLine) {
  EXPECT_THAT(error_of(std::string(kStack) + "fro = \"pytorch\"\n"), HasSubstr("p.toml:4: unknown key 'fro'"));
  EXPECT_THAT(error_of(std::string(kStack) + "sizes = { head = 3 }\n"), HasSubstr("unknown key 'head'"));
  EXPECT_THAT(error_of(std::string(kStack) + "sizes = { world = 3 }\n"), HasSubstr("unknown key 'world'"));
  EXPECT_THAT(error_of(std::string(kStack) + "model = \"train\"\n"), HasSubstr("p.toml:4: model 'train' is not written"));
  EXPECT_THAT(error_of(std::string(kStack) + "arithmetic = \"exakt\"\n"),
              HasSubstr("p.toml:4: arithmetic 'exakt' is none; expected exact, plain or float32"));
  EXPECT_THAT(error_of(std::string(kStack) + "steps = 0\n"), HasSubstr("p.toml:4: 'steps' is no whole number of at least 1"));
  EXPECT_THAT(error_of(std::string(kStack) + kStack), HasSubstr("p.toml:5: two stacks have the name 'a'"));
  EXPECT_THAT(error_of(std::string(kStack) + "[[allow]]\nrule = \"ORD-010\"\nreason = \"r\"\n"),
              HasSubstr("'until' is missing"));
  EXPECT_THAT(error_of(std::string(kStack) + "[[allow]]\nrule = \"X\"\nreason = \"r\"\nuntil = \"soon\"\n"),
              HasSubstr("p.toml:7: date 'soon' is no day that there is, written YYYY-MM-DD"));
  EXPECT_NE(error_of("stack = 3\n"), "");
  EXPECT_NE(error_of("\xff"), "");
}

std::string allowed_until(const std::string& written) {
  return std::string(kStack) + "[[allow]]\nrule = \"X\"\nreason = \"r\"\nuntil = " + written + "\n";
}

TEST(ProjectFile, TheLastDayMayBeWrittenWithoutQuotes) {
  for (const char* written : {"2027-01-31", "\"2027-01-31\"", "'2027-01-31'"}) {
    const auto project = parse_project(allowed_until(written), "p.toml");
    ASSERT_TRUE(project) << project.error().message;
    EXPECT_EQ(project->allows[0].until, "2027-01-31") << written;
  }
}

TEST(ProjectFile, WhatIsNoDayIsRefusedAtItsLine) {
  for (const char* written : {"2027-02-30", "2027-13-01", "\"2027-02-30\"", "2027-01-31T00:00:00", "2027-01", "07:32:00",
                              "2027", "\"2027-01\"", "\"\"", "31.1.2027", "true"}) {
    const std::string error = error_of(allowed_until(written));
    EXPECT_THAT(error, StartsWith("p.toml:7: ")) << written;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(allowed_until("2027-01-31T00:00:00")), "p.toml:7: 'until' is no day; write until = YYYY-MM-DD");
}

Report with_error(const std::string& rule) {
  Report report;
  report.findings = {{.rule = rule, .headline = "a::b,c%\nd", .severity = Severity::error}};
  return report;
}

Project allowing(const std::string& rule, const std::string& until) {
  return {.path = "../.ordercheck.toml",
          .rules = {},
          .stacks = {{.name = "a", .job = Job({}, {}), .line = 3}},
          .allows = {{.rule = rule, .stack = "", .reason = "r", .until = until, .line = 9, .file = "../.ordercheck.toml"}}};
}

TEST(ProjectReport, AnEntryAllowsUntilItsLastDayAndIsAnErrorAfterIt) {
  const Project project = allowing("ORD-1", "2027-03-01");
  const ProjectReport last_day = judged(project, {with_error("ORD-1")}, "2027-03-01", ".ordercheck.toml");
  EXPECT_EQ(errors_of(last_day), 0);
  EXPECT_EQ(last_day.stacks[0].allowed.size(), 1u);
  const ProjectReport after = judged(project, {with_error("ORD-1")}, "2027-03-02", ".ordercheck.toml");
  EXPECT_EQ(errors_of(after), 2);  // the finding and the entry
  EXPECT_THAT(render_project_text(after), HasSubstr("../.ordercheck.toml:9: error expired-allow: ORD-1 was allowed until"));
}

TEST(ProjectReport, AnEntryThatAllowsNothingIsTold) {
  const ProjectReport report = judged(allowing("ORD-2", "2027-03-01"), {with_error("ORD-1")}, "2027-01-01", ".ordercheck.toml");
  EXPECT_EQ(errors_of(report), 1);
  EXPECT_EQ(advice_of(report), 1);
  EXPECT_THAT(render_project_text(report), HasSubstr("nothing finds it any more: remove the entry"));
}

TEST(ProjectView, AWorkflowCommandIsEscaped) {
  const ProjectReport report = judged(allowing("ORD-1", "2020-01-01"), {with_error("ORD-1")}, "2027-01-01", ".ordercheck.toml");
  EXPECT_THAT(render_project_github(report),
              HasSubstr("::error file=.ordercheck.toml,line=3,title=ordercheck ORD-1::a: a::b,c%25%0Ad"));
}

}  // namespace
}  // namespace ordercheck
