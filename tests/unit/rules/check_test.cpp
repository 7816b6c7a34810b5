#include "rules/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Check, SaysNothingAgainstAGoodStack) {
  const Report report = Court(usual_rules()).check("tp=2,ac,compile,fsdp=2");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.conflict);
  EXPECT_FALSE(report.repaired);
}

TEST(Check, TellsAllViolationsAtOnceErrorsFirst) {
  const Report report = Court(usual_rules()).check("fsdp=2,compile,ac,tp=2");
  EXPECT_THAT(rules_of(report), ElementsAre("ORD-001", "ORD-002", "ORD-003", "ORD-004", "ORD-005"));
  EXPECT_EQ(count_of(report, Severity::error), 3);
  EXPECT_EQ(count_of(report, Severity::advice), 2);
}

TEST(Check, NamesBothPartiesReasonAndCitation) {
  const Finding finding = Court(usual_rules()).check("fsdp=2,pp=2,tp=2").findings.at(0);
  EXPECT_EQ(finding.headline, "fsdp is applied before tp");
  EXPECT_EQ(finding.instead, "tp goes before fsdp");
  EXPECT_EQ(finding.why, "Because it is so");
  EXPECT_THAT(finding.parties, ElementsAre(Party{0, "fsdp=2"}, Party{2, "tp=2"}));
  EXPECT_EQ(short_name(finding.citation), "torchtitan#1554");
}

TEST(Check, ImpliedFindingsAreFoldedIntoTheStrongest) {
  std::vector<Rule> rules;
  for (const Sketch& sketch : {Sketch{"ORD-001", RuleKind::order, "fsdp", "compile", Harm::slow},
                               Sketch{"ORD-002", RuleKind::order, "fsdp", "compile:fullgraph"}})
    rules.push_back(rule(sketch));
  rules[1].implies = {"ORD-001"};
  const Report report = Court(Given::rules, rules).check("fsdp=2,compile:fullgraph");
  EXPECT_THAT(rules_of(report), ElementsAre("ORD-002"));
  EXPECT_THAT(report.findings[0].also, ElementsAre("ORD-001"));
  EXPECT_THAT(rules_of(Court(Given::rules, rules).check("fsdp=2,compile")), ElementsAre("ORD-001"));
}

TEST(Check, ADeadlyRuleThatDoesNotHoldIsAdvice) {
  Sketch elsewhere{"ORD-001", RuleKind::order, "fsdp", "tp", Harm::fails, "", "megatron>=0"};
  const Report report = Court({elsewhere}).check("fsdp=2,tp=2");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].severity, Severity::advice);
  EXPECT_FALSE(report.conflict);
}

// Its run may be wrong too, of another cause.
TEST(Check, ADefectThatCameWithALaterReleaseIsNotSaidOfOneThatRan) {
  std::vector<Rule> rules = {rule({"ORD-001", RuleKind::order, "ac", "pp", Harm::wrong, "", "torchtitan>=0.3.0"})};
  rules[0].silent_elsewhere = true;
  Observation seen;
  seen.engine = "torchtitan";
  seen.version = "0.2.2";
  seen.case_text = "ac,pp=2 engine=torchtitan";
  seen.verdict = Verdict::differs;
  const std::vector<Observation> runs{seen};
  const auto findings_for = [&](const char* target) {
    return findings_of(stack("ac,pp=2"), Judge(rules, *parse_target(target), runs)).size();
  };
  EXPECT_EQ(findings_for("torchtitan-0.2.2"), 0u);
  EXPECT_EQ(findings_for("torchtitan-0.2.1"), 1u) << "never run";
  EXPECT_EQ(findings_for("torchtitan-0.3.0"), 1u);
  rules[0].silent_elsewhere = false;
  EXPECT_EQ(findings_for("torchtitan-0.2.2"), 1u);
}

TEST(Check, ADefectOfOlderReleasesIsNotSaidOfOneThatRan) {
  std::vector<Rule> rules = {rule({"FIT-011", RuleKind::order, "tp", "ep", Harm::fails, "", "torchtitan-parallelize<=0.2.2"})};
  rules[0].silent_elsewhere = true;
  Observation seen;
  seen.engine = "torchtitan";
  seen.version = "0.3.0";
  seen.case_text = "tp=2,ep=2 engine=torchtitan model=moe";
  seen.verdict = Verdict::equal;
  const std::vector<Observation> runs{seen};
  const auto findings_for = [&](const char* target) {
    return findings_of(stack("tp=2,ep=2"), Judge(rules, *parse_target(target), runs)).size();
  };
  EXPECT_EQ(findings_for("torchtitan-0.3.0"), 0u);
  EXPECT_EQ(findings_for("torchtitan-0.4.0"), 1u) << "never run";
  EXPECT_EQ(findings_for("torchtitan-0.2.2"), 1u);
}

TEST(Check, APageAboutNewerVersionsIsSilentWhereARunShowsNoHarm) {
  const std::vector<Rule> rules = {rule({"ORD-001", RuleKind::order, "fsdp", "tp", Harm::fails, "", "pytorch>=2.12"})};
  const auto findings_for = [&](const char* target, const std::vector<Observation>& seen) {
    return findings_of(stack("fsdp=2,tp=2"), Judge(rules, *parse_target(target), seen)).size();
  };
  Observation equal;
  equal.engine = "pytorch";
  equal.version = "2.11.0";
  equal.case_text = "fsdp=2,tp=2 engine=pytorch";
  equal.verdict = Verdict::equal;
  EXPECT_EQ(findings_for("pytorch-2.11", {}), 1u) << "nobody ran it there";
  EXPECT_EQ(findings_for("pytorch-2.11", {equal}), 0u);
  EXPECT_EQ(findings_for("pytorch-2.12", {equal}), 1u);
}

TEST(Check, HeadlinesOfTheOtherKinds) {
  const Court court({{"CLA-001", RuleKind::clash, "ac|sac", "ac|sac"},
                     {"NEE-001", RuleKind::needs, "simple_fsdp", "compile"},
                     {"FIT-001", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"},
                     {"FIT-002", RuleKind::fits, "", "", Harm::fails, "world > ranks"},
                     {"EFF-001", RuleKind::effect, "compile@model", "pp", Harm::ignored}},
                    4);
  EXPECT_EQ(court.check("ac,sac").findings.at(0).headline, "ac and sac are both applied");
  EXPECT_EQ(court.check("ac,ac=full").findings.at(0).headline, "ac and ac=full are both applied");
  EXPECT_EQ(court.check("simple_fsdp=2").findings.at(0).headline, "simple_fsdp is applied without compile");
  const Report odd = court.check("tp=5");
  EXPECT_EQ(odd.findings.at(0).headline, "tp=5 does not fit: heads is no multiple of tp");
  EXPECT_EQ(odd.findings.at(0).instead, "heads = 48, tp = 5");
  EXPECT_EQ(odd.findings.at(1).headline, "the mesh does not fit: the mesh takes more ranks than there are");
  EXPECT_EQ(court.check("pp=2,compile@model").findings.at(0).headline,
            "compile of the whole model is accepted and without effect beside pp");
}

TEST(Check, AFindingSaysWhetherAnEffectIsLostOrAPartOfIt) {
  Rule page = rule({"EFF-002", RuleKind::effect, "compile@model", "fsdp", Harm::ignored});
  page.loses = *parse_pattern("compile");
  page.loses_part = true;
  const Finding part = Court(Given::rules, {page}).check("compile@model,fsdp=2").findings.at(0);
  EXPECT_EQ(part.headline, "compile of the whole model is accepted and has only a part of its effect beside fsdp");
  EXPECT_EQ(part.instead, "compile@model does only a part of its work here");
  EXPECT_EQ(part.shows, "the right numbers, but compile has only a part of its effect");
  page.loses_part = false;
  EXPECT_EQ(Court(Given::rules, {page}).check("compile@model,fsdp=2").findings.at(0).shows,
            "the right numbers, but compile has no effect");
}

TEST(Check, HeadlinesSayWhatThePatternAsksFor) {
  const auto headline = [](const Sketch& sketch, const char* text) {
    return Court({sketch}).check(text).findings.at(0).headline;
  };
  EXPECT_EQ(headline({"CLA-017", RuleKind::clash, "compile@block", "tp:!plan", Harm::wrong, "tp > 1 && dp > 1"},
                     "tp=2,compile,fsdp=2"),
            "tp with a plan for the embedding (without :plan) and compile of blocks are both applied, where there is data "
            "parallelism");
  EXPECT_EQ(headline({"ORD-005", RuleKind::order, "compile:wrap@block", "tp|ep", Harm::wrong, "tp > 1 || ep > 1"},
                     "compile:wrap,tp=2"),
            "compile:wrap of blocks is applied before tp");
  EXPECT_EQ(headline({"ORD-021", RuleKind::order, "compile:!fullgraph@model", "ddp"}, "compile@model,ddp=2"),
            "compile of the whole model without :fullgraph is applied before ddp");
  EXPECT_EQ(headline({"ORD-025", RuleKind::order, "fsdp|hsdp", "sac", Harm::ignored, "compile > 0"}, "fsdp=2,sac,compile"),
            "fsdp is applied before sac, where compile is applied too");
  EXPECT_EQ(headline({"CLA-004", RuleKind::clash, "ddp", "tp|pp", Harm::wrong, "dp_replicate > 1 && (tp > 1 || pp > 1)"},
                     "tp=2,ddp=2"),
            "tp and ddp are both applied");
  EXPECT_EQ(headline({"FIT-005", RuleKind::fits, "ep", "", Harm::fails, "(dp_shard * cp * tp) % ep != 0"}, "ep=2"),
            "ep=2 does not fit: dp_shard * cp * tp is no multiple of ep");
}

// What the dense model showed without ep says nothing to whoever asked about a model with experts.
TEST(Check, AStackToTryIsLookedUpOfTheModelThatWasAskedAbout) {
  const std::vector<Rule> rules{rule({"CLA-025", RuleKind::clash, "tp", "ep", Harm::wrong})};
  const auto run = [](const char* text) {
    return Observation{.engine = "pytorch", .version = "2.11.0", .case_text = text, .verdict = Verdict::equal};
  };
  const std::vector<Observation> runs{run("tp=2,fsdp=2 engine=pytorch"), run("ep=2,fsdp=2 model=moe engine=pytorch")};
  const Report report = check(stack("tp=2,ep=2,fsdp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs));
  for (const Try& one : report.findings.at(0).tries)
    EXPECT_EQ(one.seen, print(one.stack) == "ep=2,fsdp=2" ? "equal when run on pytorch 2.11" : "not run on pytorch 2.11")
        << print(one.stack);
}

TEST(Check, ShowsWhatTheRunOfTheRulesOwnStackShowed) {
  const std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "fsdp", "tp", Harm::wrong})};
  const auto shows_with = [&](Verdict verdict) {
    std::vector<Observation> runs{ran("fsdp=2,tp=2", verdict)};
    runs.front().message = "ValueError: boom";
    return check(stack("fsdp=4,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.at(0).shows;
  };
  EXPECT_EQ(shows_with(Verdict::fails), "fails while applying: ValueError: boom");
  EXPECT_EQ(shows_with(Verdict::differs), "silently wrong: other numbers, no message");
}

TEST(Check, ShowsHowMuchOfAnEffectTheRunLost) {
  Rule lost = rule({"ORD-001", RuleKind::order, "fsdp", "tp", Harm::ignored});
  lost.loses = *parse_pattern("tp");
  const std::vector<Rule> rules{lost};
  const auto shows_with = [&](bool partly) {
    std::vector<Observation> runs{ran("fsdp=2,tp=2", Verdict::ignored)};
    runs.front().effects = {{.transform = "tp=2", .partly = partly, .signs = {}}};
    return check(stack("fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.at(0).shows;
  };
  EXPECT_EQ(shows_with(false), "the right numbers, but tp has no effect");
  EXPECT_EQ(shows_with(true), "the right numbers, but tp=2 has only a part of its effect");
}

TEST(Check, ASeriesMeansItsNewestVersionThatWasRun) {
  const std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "fsdp", "tp", Harm::fails, "", "pytorch>=2.12.1"})};
  std::vector<Observation> runs{ran("ac", Verdict::equal)};
  runs.front().version = "2.12.1";
  EXPECT_EQ(print(*settle_target(*parse_target("pytorch-2.12"), rules, runs)), "pytorch 2.12.1");
  EXPECT_EQ(print(*settle_target(*parse_target("pytorch-2.12.0"), rules, runs)), "pytorch 2.12.0");
  EXPECT_EQ(print(*settle_target(*parse_target("pytorch-2.1"), rules, runs)), "pytorch 2.1");
}

// Two stacks mend it: the one that was seen to be equal is named, whichever it is; one that was seen to differ never is.
TEST(Check, RepairedIsWhatRanEqual) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"})};
  const auto repaired_with = [&](const char* ran, Verdict verdict) {
    const std::string text = fmt::format("{} engine=pytorch", ran);
    const std::vector<Observation> runs{{.engine = "pytorch", .version = "2.11.0", .case_text = text, .verdict = verdict}};
    const Report report = check(stack("fsdp=2,ac,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs));
    return report.repaired ? print(*report.repaired) : "";
  };
  EXPECT_EQ(repaired_with("ac,tp=2,fsdp=2", Verdict::equal), "ac,tp=2,fsdp=2");
  EXPECT_EQ(repaired_with("tp=2,fsdp=2,ac", Verdict::equal), "tp=2,fsdp=2,ac");
  EXPECT_EQ(repaired_with("tp=2,fsdp=2,ac", Verdict::differs), "ac,tp=2,fsdp=2");
  EXPECT_EQ(repaired_with("ac,tp=2,fsdp=2", Verdict::differs), "tp=2,fsdp=2,ac");
}

TEST(Check, AStackToTryComesWithWhatRunsShowedOfIt) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"})};
  const auto seen_of = [&](const char* text, const std::vector<Observation>& runs) {
    return check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.at(0).tries.at(0).seen;
  };
  const auto run = [](const char* text, Verdict verdict, const char* version = "2.11.0") {
    return Observation{.engine = "pytorch", .version = version, .case_text = text, .verdict = verdict};
  };
  EXPECT_EQ(seen_of("fsdp=2,tp=2", {}), "not run on pytorch 2.11");
  EXPECT_EQ(seen_of("fsdp=2,tp=2", {run("tp=2,fsdp=2 engine=pytorch", Verdict::equal, "2.15.0")}), "not run on pytorch 2.11");
  EXPECT_EQ(seen_of("fsdp=2,tp=2", {run("tp=2,fsdp=2 engine=pytorch seed=7", Verdict::equal)}), "not run on pytorch 2.11");
  const Observation other = run("tp=2,fsdp=2 engine=pytorch", Verdict::equal);
  EXPECT_EQ(seen_of("fsdp=2,tp=2", {other}), "equal when run on pytorch 2.11");
  EXPECT_EQ(seen_of("fsdp=4,tp=2", {other}), "equal when run on pytorch 2.11 as tp=2,fsdp=2");
  // Of the same degrees before others; what differs there is not offered.
  EXPECT_EQ(seen_of("fsdp=4,tp=2", {other, run("tp=2,fsdp=4 engine=pytorch", Verdict::close)}),
            "close when run on pytorch 2.11");
  EXPECT_EQ(seen_of("fsdp=4,tp=2", {other, run("tp=2,fsdp=4 engine=pytorch", Verdict::differs)}), "not run on pytorch 2.11");
  const Observation stand_in = run("tp=2,fsdp=2,compile engine=pytorch", Verdict::equal);
  const Observation inductor = run("tp=4,fsdp=2,compile=inductor engine=pytorch", Verdict::close);
  EXPECT_EQ(seen_of("fsdp=2,compile,tp=2", {stand_in}), "equal when run on pytorch 2.11, without inductor's code generation");
  EXPECT_EQ(seen_of("fsdp=2,compile,tp=2", {stand_in, inductor}),
            "close when run on pytorch 2.11 as tp=4,fsdp=2,compile=inductor");
  EXPECT_EQ(seen_of("fsdp=2,compile=aot_eager,tp=2", {stand_in, inductor}), "not run on pytorch 2.11");
}

TEST(Check, CallsAClashWhatItIsInTheOrderAskedAbout) {
  Rule page = rule({"CLA-001", RuleKind::clash, "fsdp", "tp"});
  page.expectations.push_back({.engine = "pytorch",
                               .version = *parse_version("2.11"),
                               .stack = stack("tp=2,fsdp=2"),
                               .verdict = Verdict::differs,
                               .because = "nothing is raised"});
  const Court court(Given::rules, {page});
  const auto finding = [&](const char* text) { return check(stack(text), court.judge()).findings.at(0); };
  EXPECT_EQ(finding("tp=4,ac,fsdp=2").shows, "silently wrong: other numbers, no message");
  EXPECT_EQ(print(finding("tp=4,ac,fsdp=2").smallest), "tp=2,fsdp=2");
  EXPECT_EQ(finding("tp=2,fsdp=2,optimizer=adamw").shows, "silently wrong: other numbers, no message");
  EXPECT_EQ(finding("tp=2,fsdp=2,optimizer=adamw:clip=1").shows, "fails") << "the pin is for the default trainer";
  EXPECT_EQ(finding("fsdp=2,tp=2").shows, "fails");
  EXPECT_EQ(print(finding("fsdp=2,tp=2").smallest), "fsdp=2,tp=2");
}

TEST(Check, SaysWhatTheWholeStackShowedWhereNoErrorSaysThat) {
  const std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "ac", "tp", Harm::wrong})};
  const auto seen = [&](const char* case_text, Verdict verdict) {
    const std::vector<Observation> runs{{.engine = "pytorch", .version = "2.11.0", .case_text = case_text, .verdict = verdict}};
    const Judge judge(rules, *parse_target("pytorch-2.11"), runs);
    return check(stack("ac,tp=2,fsdp=2"), judge).seen;
  };
  EXPECT_EQ(seen("ac,tp=2,fsdp=2 engine=pytorch", Verdict::hangs), "hangs when run on pytorch 2.11");
  EXPECT_EQ(seen("ac,tp=2,fsdp=2 engine=pytorch", Verdict::differs), "") << "the page says so";
  EXPECT_EQ(seen("ac,tp=4,fsdp=2 engine=pytorch", Verdict::hangs), "") << "another stack";
}

TEST(SettleTarget, TakesTheNewestThatPagesOrRunsKnow) {
  const std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "fsdp", "tp"})};
  const Target asked = *parse_target("pytorch");
  EXPECT_EQ(print(*settle_target(asked, rules, {})), "pytorch 2");
  Observation seen;
  seen.engine = "pytorch";
  seen.version = "2.15.0";
  EXPECT_EQ(print(*settle_target(asked, rules, {seen})), "pytorch 2.15.0");
  EXPECT_EQ(print(*settle_target(*parse_target("pytorch-2.6"), rules, {seen})), "pytorch 2.6");
  EXPECT_THAT(settle_target(*parse_target("pytroch"), rules, {}).error().message, HasSubstr("did you mean 'pytorch'?"));
}

}  // namespace
}  // namespace ordercheck
