#include "rules/target_runs.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

TEST(Runs, AStackToTryThatRanOfAnotherModelSaysWhich) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"})};
  const auto seen_of = [&](const char* text) {
    const std::vector<Observation> runs{
        {.engine = "pytorch", .version = "2.11.0", .case_text = text, .verdict = Verdict::equal}};
    return check(stack("fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.at(0).tries.at(0).seen;
  };
  EXPECT_EQ(seen_of("tp=2,fsdp=2 model=llama_flex engine=pytorch"), "equal when run on pytorch 2.11 of model llama_flex");
  EXPECT_EQ(seen_of("tp=2,fsdp=2 model=moe engine=pytorch"), "not run on pytorch 2.11") << "it has experts";
}

TEST(Runs, ARuleAboutOthersIsNotSaidOfAStackThatRanEqual) {
  const auto findings_with = [](const char* holds, Harm harm, Verdict verdict) {
    const std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "fsdp", "tp", harm, "", holds})};
    const std::vector<Observation> runs{ran("fsdp=2,tp=2", verdict)};
    return check(stack("fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.size();
  };
  EXPECT_EQ(findings_with("megatron>=0", Harm::fails, Verdict::equal), 0u);
  EXPECT_EQ(findings_with("megatron>=0", Harm::fails, Verdict::differs), 1u);
  EXPECT_EQ(findings_with("megatron>=0", Harm::slow, Verdict::equal), 1u) << "what costs more is equal too";
  EXPECT_EQ(findings_with("pytorch>=2", Harm::fails, Verdict::equal), 1u) << "its own rule, refuted";
}

TEST(Runs, ARuleThatPinsTheStackAsRightIsNotSaidOfIt) {
  const auto findings_with = [](const char* pinned, Verdict verdict) {
    std::vector<Rule> rules{rule({"ORD-001", RuleKind::order, "fsdp", "tp", Harm::wrong})};
    rules.front().expectations = {{.engine = "pytorch",
                                   .version = *parse_version("2.11"),
                                   .stack = stack(pinned),
                                   .verdict = Verdict::equal,
                                   .because = "ac keeps it"}};
    const std::vector<Observation> runs{ran("ac,fsdp=2,tp=2", verdict)};
    const Report report = check(stack("ac,fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs));
    EXPECT_EQ(report.repaired.has_value(), !report.findings.empty());
    EXPECT_EQ(report.conflict.has_value(), !report.findings.empty());
    return report.findings.size();
  };
  EXPECT_EQ(findings_with("ac,fsdp=2,tp=2", Verdict::equal), 0u);
  EXPECT_EQ(findings_with("ac,fsdp=2,tp=2", Verdict::differs), 1u);
  EXPECT_EQ(findings_with("ac,fsdp=4,tp=2", Verdict::equal), 1u) << "another stack";
}

TEST(Runs, ARuleThatPinsItsItemsAsRightIsNotSaidOfThemWithOthers) {
  std::vector<Rule> rules{rule({"CLA-001", RuleKind::clash, "ddp", "replicate"})};
  rules.front().expectations = {{.engine = "pytorch",
                                 .version = *parse_version("2.11"),
                                 .stack = stack("ddp=2,replicate=2"),
                                 .verdict = Verdict::equal,
                                 .because = "it reduces over that axis itself"}};
  const auto findings_of_stack = [&](const char* text) {
    const std::vector<Observation> runs;
    return check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.size();
  };
  EXPECT_EQ(findings_of_stack("ac,ddp=2,replicate=2"), 0u);
  EXPECT_EQ(findings_of_stack("ac,replicate=2,ddp=2"), 1u) << "the other order";
}

// The same training, written otherwise.
TEST(Runs, ARunCountsForAStackWithoutDegreesAndWithTheUsualTrainer) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"})};
  const std::vector<Observation> runs{ran("tp=2,fsdp=2", Verdict::fails)};
  const auto seen_of = [&](const char* text) {
    return check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs)).seen;
  };
  EXPECT_EQ(seen_of("tp=2,fsdp=2"), "fails in apply when run on pytorch 2.11");
  EXPECT_EQ(seen_of("tp,fsdp"), "fails in apply when run on pytorch 2.11 as tp=2,fsdp=2");
  EXPECT_EQ(seen_of("tp=2,fsdp=2,optimizer=adamw"), "fails in apply when run on pytorch 2.11 as tp=2,fsdp=2");
  EXPECT_EQ(seen_of("tp=4,fsdp=2"), "");
}

// Of other degrees one failed since its sizes do not fit, which says nothing of these.
TEST(Runs, ARunThatFailsByItsSizesLabelsNoOtherDegrees) {
  Rule sizes = rule({"FIT-001", RuleKind::fits, "fsdp", "", Harm::fails});
  sizes.when = *parse_condition("dp_shard == 3");
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"}), sizes};
  const auto seen_with = [&](const char* ran_stack, Verdict verdict) {
    const std::vector<Observation> runs{ran(ran_stack, verdict)};
    return check(stack("fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).findings.at(0).tries.at(0).seen;
  };
  EXPECT_EQ(seen_with("tp=2,fsdp=3", Verdict::fails), "not run on pytorch 2.11");
  EXPECT_EQ(seen_with("tp=2,fsdp=4", Verdict::equal), "equal when run on pytorch 2.11 as tp=2,fsdp=4");
}

// An effect that is lost without inductor is lost with it, whose code hides products from the counters.
TEST(Runs, TellsALossThatTheUsualBackendHides) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp"})};
  const auto seen_with = [&](Verdict open, Verdict usual) {
    const std::vector<Observation> runs{ran("compile,fsdp=2,tp=2", open), ran("compile=inductor,fsdp=2,tp=2", usual)};
    return check(stack("compile,fsdp=2,tp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs)).seen;
  };
  EXPECT_EQ(seen_with(Verdict::ignored, Verdict::equal), "ignored when run on pytorch 2.11");
  EXPECT_EQ(seen_with(Verdict::differs, Verdict::equal), "equal when run on pytorch 2.11 as compile=inductor,fsdp=2,tp=2");
  EXPECT_EQ(seen_with(Verdict::ignored, Verdict::differs), "differs when run on pytorch 2.11 as compile=inductor,fsdp=2,tp=2");
}

TEST(Runs, OfARuleAboutSizesArePinnedForTheirDegreesAlone) {
  Rule sizes = rule({"FIT-001", RuleKind::fits, "pp", "", Harm::fails});
  sizes.when = *parse_condition("pp > layers");
  sizes.expectations = {{.engine = "pytorch",
                         .version = *parse_version("2.11"),
                         .stack = stack("pp=3"),
                         .verdict = Verdict::equal,
                         .because = "its stage is empty"}};
  const std::vector<Rule> rules{sizes};
  const std::vector<Observation> runs{ran("pp=3", Verdict::equal)};
  const auto findings_of_stack = [&](const char* text) {
    return check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs, Job({}, {{"layers", 2}}))).findings.size();
  };
  EXPECT_EQ(findings_of_stack("pp=3"), 0u);
  EXPECT_EQ(findings_of_stack("pp=4"), 1u);
}

// One error is what the run showed, and the other is not.
TEST(Runs, AreToldWhereAnErrorSaysOtherwise) {
  Rule lost = rule({"ORD-003", RuleKind::order, "ac", "tp", Harm::ignored});
  lost.loses = *parse_pattern("tp");
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "tp", Harm::wrong}), lost};
  const auto seen_with = [&](Verdict verdict) {
    const std::vector<Observation> runs{ran("fsdp=2,ac,tp=2", verdict), ran("ac,tp=2", verdict)};
    const Judge judge(rules, *parse_target("pytorch-2.11"), runs);
    return check(stack("fsdp=2,ac,tp=2"), judge).seen + "|" + check(stack("ac,tp=2"), judge).seen;
  };
  EXPECT_EQ(seen_with(Verdict::ignored), "ignored when run on pytorch 2.11|");
  EXPECT_EQ(seen_with(Verdict::differs), "differs when run on pytorch 2.11|differs when run on pytorch 2.11");
}

TEST(Runs, OfAModelThatHasWhatFewHaveAreToldOfAJobThatAsksForIt) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "compile"})};
  std::vector<Observation> runs{ran("ac,ddp=2", Verdict::equal), ran("ac,ddp=2", Verdict::differs)};
  runs[1].case_text = "ac,ddp=2 model=llama_frozen engine=pytorch";
  const auto seen_of = [&](Job job) {
    return check(stack("ac,ddp=2"), Judge(rules, *parse_target("pytorch-2.11"), runs, std::move(job))).seen;
  };
  EXPECT_EQ(seen_of(Job({}, {{"frozen_embedding", 1}})), "differs when run on pytorch 2.11 of model llama_frozen");
  EXPECT_EQ(seen_of(Job({}, {})), "");
}

TEST(Runs, SaysWhichReleaseOfPyTorchShowedWhat) {
  const std::vector<Rule> rules{rule({"ORD-002", RuleKind::order, "fsdp", "compile"})};
  const auto seen_with = [&](Verdict older, Verdict newer) {
    std::vector<Observation> runs{ran("tp=2,ac", older), ran("tp=2,ac", newer)};
    runs[0].on = "torch 2.11.0";
    runs[1].on = "torch 2.15.0";
    return check(stack("tp=2,ac"), Judge(rules, *parse_target("pytorch-2.11"), runs)).seen;
  };
  EXPECT_EQ(seen_with(Verdict::differs, Verdict::equal),
            "equal when run on pytorch 2.11 on torch 2.15.0, differs on torch 2.11.0");
  EXPECT_EQ(seen_with(Verdict::equal, Verdict::equal), "");
}

TEST(Runs, TellsAHarmThatNoRuleNames) {
  Rule sizes = rule({"FIT-001", RuleKind::fits, "tp", "", Harm::fails});
  sizes.when = *parse_condition("heads % tp > 0");
  const std::vector<Rule> rules{sizes};
  const std::vector<Observation> runs{ran("tp=5", Verdict::fails), ran("tp=2", Verdict::fails), ran("tp=4", Verdict::equal)};
  const auto seen_of = [&](const char* text, Job job) {
    return check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs, std::move(job))).seen;
  };
  EXPECT_EQ(seen_of("tp=2", Job({}, {})), "fails in apply when run on pytorch 2.11");
  EXPECT_EQ(seen_of("tp=5", Job({}, {})), "fails in apply when run on pytorch 2.11, whose model breaks FIT-001");
  EXPECT_EQ(seen_of("tp=5", Job({}, {{"heads", 10}})), "") << "it fits this job";
  EXPECT_EQ(seen_of("tp=4", Job({}, {})), "");
  const auto legality = [&](const char* text) {
    return legality_of(check(stack(text), Judge(rules, *parse_target("pytorch-2.11"), runs, Job({}, {}))));
  };
  EXPECT_EQ(legality("tp=2"), Legality::unknown) << "its run failed, and no rule says why";
  EXPECT_EQ(legality("tp=5"), Legality::legal) << "sizes of the model that ran";
  EXPECT_EQ(legality("tp=4"), Legality::legal);
}

}  // namespace
}  // namespace ordercheck
