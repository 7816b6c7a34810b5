#include "report/ci/matrix_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "report/ci/job_summary.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

ReportedCase case_of(const std::string& stack, Verdict verdict, Agreement agreement, const std::string& reason = "a reason") {
  const Case subject{.stack = *parse_stack(stack)};
  return {.outcome = {.subject = subject,
                      .seen = {.verdict = verdict, .message = reason},
                      .prediction = {},
                      .agreement = agreement,
                      .disagreement = agreement == Agreement::contradiction ? "no rule flags it" : ""},
          .reason = reason};
}

ReportedBuild build_of_cases(std::vector<ReportedCase> cases) {
  return {.target = *parse_target("pytorch-2.11.0"),
          .head = {.engine = "pytorch", .versions = {"torch 2.11.0"}, .device = "cpu"},
          .cases = std::move(cases),
          .controls = {},
          .not_planned = {}};
}

TEST(MatrixReport, OnlyWhatNoPageExplainsFails) {
  ReportedBuild build = build_of_cases({case_of("tp=2", Verdict::equal, Agreement::confirmed),
                                        case_of("tp=4", Verdict::differs, Agreement::contradiction),
                                        case_of("ac", Verdict::differs, Agreement::contradiction),
                                        case_of("fsdp=2", Verdict::unrun, Agreement::undecided, "out of memory"),
                                        case_of("fsdp=4", Verdict::fails, Agreement::contradiction)});
  build.cases[2].outcome.explanation = "a page says so";
  build.cases[4].outcome.seen.ending = Ending::died;
  const TestSuite suite = junit_of({build}).front();
  const std::vector<TestEnd> expected{TestEnd::passed, TestEnd::failed, TestEnd::passed, TestEnd::skipped, TestEnd::error};
  ASSERT_EQ(suite.cases.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(suite.cases[i].end, expected[i]) << suite.cases[i].name;
  EXPECT_THAT(render_junit({suite}), HasSubstr("tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(render_junit({suite}), HasSubstr("<skipped message=\"unrun: out of memory\">"));
}

TEST(MatrixReport, AControlThatCouldNotFailFails) {
  ReportedBuild build = build_of_cases({});
  build.controls = {{.name = "plain arithmetic", .held = false, .evidence = "0 of 2 differ"},
                    {.name = "repeated runs", .held = false, .evidence = "no case", .judged = false}};
  const TestSuite suite = junit_of({build}).front();
  EXPECT_EQ(suite.cases[0].end, TestEnd::failed);
  EXPECT_EQ(suite.cases[1].end, TestEnd::skipped);
}

TEST(MatrixReport, AFailedControlIsAnErrorOfTheRunInSarif) {
  ReportedBuild build = build_of_cases({case_of("fsdp=2", Verdict::unrun, Agreement::undecided, "out of memory")});
  const auto invocation_of = [](const ReportedBuild& one) {
    const auto sarif = nlohmann::json::parse(render_sarif(sarif_of({one}, {}), {}, own_rules_of_a_matrix(), "0"));
    EXPECT_TRUE(sarif["runs"][0]["results"].empty());
    return sarif["runs"][0]["invocations"][0];
  };
  build.controls = {{.name = "shuffled gradient", .held = true, .evidence = "seen"},
                    {.name = "plain arithmetic", .held = false, .evidence = "no case", .judged = false}};
  EXPECT_EQ(invocation_of(build)["executionSuccessful"], true);
  EXPECT_EQ(invocation_of(build)["toolExecutionNotifications"].size(), 1u);
  build.controls.push_back({.name = "repeated runs", .held = false, .evidence = "283 of 284 records have the digest of ..."});
  const auto failed = invocation_of(build);
  EXPECT_EQ(failed["executionSuccessful"], false);
  ASSERT_EQ(failed["toolExecutionNotifications"].size(), 2u);
  EXPECT_EQ(failed["toolExecutionNotifications"][0]["level"], "error");
  EXPECT_EQ(failed["toolExecutionNotifications"][0]["message"]["text"],
            "control 'repeated runs' failed on pytorch 2.11.0: 283 of 284 records have the digest of ...");
}

TEST(MatrixReport, NoTextBreaksAFormat) {
  const std::string hostile = "</testcase><script>\"&'|`*\n\x1b[31m \xff\xc3 end]]>";
  const ReportedBuild build = build_of_cases({case_of("tp=2", Verdict::differs, Agreement::contradiction, hostile)});
  const std::string xml = render_junit(junit_of({build}));
  EXPECT_THAT(xml, Not(HasSubstr("<script>")));
  EXPECT_THAT(xml, HasSubstr("\\x1b[31m \\xff\\xc3 end"));
  const auto sarif = nlohmann::json::parse(render_sarif(sarif_of({build}, {}), {}, own_rules_of_a_matrix(), "0"));
  EXPECT_THAT(sarif["runs"][0]["results"][0]["message"]["text"].get<std::string>(), HasSubstr("\\x1b[31m \\xff\\xc3 end"));
  const std::string summary = render_job_summary({build});
  EXPECT_THAT(summary, Not(HasSubstr("<script>")));
  EXPECT_THAT(summary, HasSubstr("&lt;script&gt;\"&amp;'\\|\\`\\* \\\\x1b"));
}

TEST(MatrixReport, AFingerprintOutlivesAnotherMessage) {
  const auto fingerprint = [](const std::string& reason) {
    const ReportedBuild build = build_of_cases({case_of("tp=2", Verdict::differs, Agreement::contradiction, reason)});
    const auto sarif = nlohmann::json::parse(render_sarif(sarif_of({build}, {}), {}, own_rules_of_a_matrix(), "0"));
    return sarif["runs"][0]["results"][0]["partialFingerprints"]["ordercheck/v1"].get<std::string>();
  };
  EXPECT_EQ(fingerprint("one"), fingerprint("another"));
}

TEST(JobSummary, StaysBelowItsSizeAndSaysWhatItLeftOut) {
  std::vector<ReportedCase> cases;
  for (int i = 0; i < 300; ++i)
    cases.push_back(case_of("tp=2", Verdict::differs, Agreement::contradiction, std::string(500, 'x')));
  for (int i = 0; i < 300; ++i) cases.push_back(case_of("fsdp=2", Verdict::equal, Agreement::confirmed));
  const std::string summary = render_job_summary({build_of_cases(cases)});
  EXPECT_LT(summary.size(), kJobSummaryBytes);
  EXPECT_THAT(summary, HasSubstr("## ordercheck: 300 contradictions that no rule explains"));
  EXPECT_THAT(summary, HasSubstr(" more, which did not fit here"));
  EXPECT_THAT(summary, HasSubstr("| pytorch torch-2.11.0-cpu | 600 | 300 | 300 | 0 | 0 | 0 | none |"));
}

TEST(Displayable, WritesWhatNoReaderShows) {
  EXPECT_EQ(displayable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(displayable("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(displayable(std::string("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(displayable("\xc0\xaf \xed\xa0\x80"), "\\xc0\\xaf \\xed\\xa0\\x80");
  EXPECT_EQ(displayable("\xe2\x80\xae \xef\xbf\xbf"), "\\u{202e} \\u{ffff}");
}

}  // namespace
}  // namespace ordercheck
