#include "rules/grade.h"

#include <gmock/gmock.h>

#include "record/counters.h"
#include "rules/match.h"
#include "stack/notation.h"
#include "unit/rules/page_text.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

Observation saw(const char* engine, const char* version, const char* stack, Verdict verdict, const char* message = "",
                std::optional<Phase> phase = {}) {
  const std::string suffix = std::string(engine) == "native" ? "" : std::string(" engine=") + engine;
  return {.engine = engine,
          .version = version,
          .case_text = stack + suffix,
          .verdict = verdict,
          .phase = phase,
          .message = message};
}

Observation refused(const char* version) {
  return saw("pytorch", version, "fsdp=2,tp=2", Verdict::fails, "ValueError: Cannot distribute a DTensor with device mesh",
             Phase::apply);
}

Grade grade(const Rule& rule, const char* target, const std::vector<Observation>& seen) {
  return grade_of(rule, *parse_target(target), seen);
}

TEST(Grades, CitedWhereNobodyRanIt) { EXPECT_EQ(print(grade(rule_of(good_page()), "pytorch-2.11", {})), "cited"); }

TEST(Grades, ContestedWhereCitationsClash) {
  for (const char* stance : {"disputes", "split"}) {
    const std::string other = std::string("[[cite]]\nurl = \"https://x.org\"\ndate = \"2026\"\nsays = \"") + stance +
                              "\"\nclaim = \"No.\"\n[witness]";
    EXPECT_EQ(grade(rule_of(page_with("[witness]", other)), "pytorch-2.11", {}).kind, GradeKind::contested);
  }
}

TEST(Grades, ReproducedByTheFailureThatIsPinned) {
  const Grade made = grade(rule_of(good_page()), "pytorch-2.11", {refused("2.11.0")});
  EXPECT_EQ(print(made), "reproduced: pytorch 2.11.0");
  EXPECT_THAT(made.note, HasSubstr("Cannot distribute"));
}

TEST(Grades, AForeignFailureConfirmsNothing) {
  const Rule rule = rule_of(good_page());
  const Grade message = grade(rule, "pytorch-2.11",
                              {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::fails, "ModuleNotFoundError", Phase::apply)});
  EXPECT_EQ(message.kind, GradeKind::cited);
  EXPECT_THAT(message.note, HasSubstr("a foreign failure"));
  Observation late = refused("2.11.0");
  late.phase = Phase::backward;
  EXPECT_EQ(grade(rule, "pytorch-2.11", {late}).kind, GradeKind::cited);
}

TEST(Grades, AFailureThatNoPagePinsConfirmsNothing) {
  const Grade made =
      grade(rule_of(good_page()), "native-1", {saw("native", "2.11.0", "fsdp=2,tp=2", Verdict::fails, "boom", Phase::apply)});
  EXPECT_EQ(made.kind, GradeKind::cited);
  EXPECT_THAT(made.note, HasSubstr("no rule pins"));
}

TEST(Grades, RefutedByARunThatDoesNotShowIt) {
  EXPECT_EQ(print(grade(rule_of(good_page()), "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)})),
            "refuted: pytorch 2.11.0");
}

TEST(Grades, OfAReleaseThatRanOnTwoReleasesOfPyTorchAreByTheNewer) {
  Observation older = saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal), newer = refused("2.11.0");
  older.on = "torch 2.11.0";
  newer.on = "torch 2.15.0";
  EXPECT_EQ(grade(rule_of(good_page()), "pytorch-2.11", {older, newer}).kind, GradeKind::reproduced);
  EXPECT_EQ(grade(rule_of(good_page()), "pytorch-2.11", {newer, older}).kind, GradeKind::refuted);
}

// Wrong on one release of PyTorch with its good stack, and alone on the other.
TEST(Grades, ABadStackIsHeldBesideTheGoodOneOfTheSameTable) {
  Rule wrong = rule_of(good_page());
  wrong.harm = Harm::wrong;
  wrong.expectations.clear();
  const auto on = [](const char* stack, Verdict verdict, const char* torch) {
    Observation seen = saw("pytorch", "2.11.0", stack, verdict);
    seen.on = torch;
    return seen;
  };
  const std::vector<Observation> older{on("fsdp=2,tp=2", Verdict::equal, "torch 2.11.0"),
                                       on("tp=2,fsdp=2", Verdict::differs, "torch 2.11.0")};
  std::vector<Observation> both = older;
  both.push_back(on("fsdp=2,tp=2", Verdict::differs, "torch 2.15.0"));
  EXPECT_EQ(grade(wrong, "pytorch-2.11", both).kind, GradeKind::reproduced);
  both.push_back(on("tp=2,fsdp=2", Verdict::differs, "torch 2.15.0"));
  EXPECT_EQ(grade(wrong, "pytorch-2.11", both).kind, GradeKind::cited) << "both are wrong there";
  both.front() = on("fsdp=2,tp=2", Verdict::differs, "torch 2.11.0");
  both.at(1) = on("tp=2,fsdp=2", Verdict::equal, "torch 2.11.0");
  EXPECT_EQ(grade(wrong, "pytorch-2.11", both).on, "torch 2.11.0") << "which shows it";
}

// The page says that it fails there for another reason: of the order that shows nothing where the good stack fails alike.
TEST(Grades, AnotherFailureOfBothStacksShowsNoOrder) {
  Rule wrong = rule_of(good_page());
  wrong.harm = Harm::wrong;
  wrong.expectations = {{.engine = "pytorch",
                         .version = *parse_version("2.11.0"),
                         .verdict = Verdict::fails,
                         .phase = Phase::backward,
                         .message = "boom",
                         .because = "another rule"}};
  const auto fails = [](const char* stack) {
    Observation seen = saw("pytorch", "2.11.0", stack, Verdict::fails);
    seen.phase = Phase::backward;
    seen.message = "boom";
    return seen;
  };
  const Observation bad = fails("fsdp=2,tp=2");
  EXPECT_EQ(grade(wrong, "pytorch-2.11", {bad, saw("pytorch", "2.11.0", "tp=2,fsdp=2", Verdict::equal)}).kind,
            GradeKind::reproduced);
  EXPECT_EQ(grade(wrong, "pytorch-2.11", {bad, fails("tp=2,fsdp=2")}).kind, GradeKind::cited);
}

TEST(Grades, UndecidedRunsDecideNothing) {
  for (const Verdict verdict : {Verdict::unrun, Verdict::unstable})
    EXPECT_EQ(grade(rule_of(good_page()), "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", verdict)}).kind,
              GradeKind::cited);
}

TEST(Grades, ARunSaysNothingAboutHowManyRanksThereAre) {
  Rule rule = rule_of(good_page());
  rule.witness.ranks = 2;
  EXPECT_EQ(grade(rule, "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)}).kind, GradeKind::cited);
}

TEST(Grades, ByRunsOfTheMicrobatchesThatThePageNames) {
  const Rule rule = rule_of(page_with("good = \"tp=2,fsdp=2\"", "good = \"tp=2,fsdp=2\"\naccumulation = 4"));
  EXPECT_EQ(job_of(rule.witness).sizes.at("microbatches"), 4);
  EXPECT_EQ(print(grade(rule, "pytorch-2.11", {refused("2.11.0")})), "cited");
  Observation of_four = refused("2.11.0");
  of_four.case_text += " accumulation=4";
  EXPECT_EQ(print(grade(rule, "pytorch-2.11", {of_four})), "reproduced: pytorch 2.11.0");
}

TEST(Grades, StaleWhereItWasTrueOnce) {
  const std::vector<Observation> seen{refused("2.8.0"), saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)};
  EXPECT_EQ(print(grade(rule_of(good_page()), "pytorch-2.11", seen)), "stale: pytorch 2.11.0");
  EXPECT_EQ(print(grade(rule_of(good_page()), "pytorch-2.8", seen)), "reproduced: pytorch 2.8.0");
  EXPECT_EQ(print(grade(rule_of(good_page()), "pytorch-2.15", seen)), "stale: pytorch 2.11.0");
}

TEST(Grades, StaleWhereThePageEndsItsClaim) {
  const Rule rule = rule_of(page_with("pytorch>=2.6", "pytorch>=2.6,<2.10"));
  EXPECT_EQ(grade(rule, "pytorch-2.11", {}).kind, GradeKind::stale);
  EXPECT_EQ(grade(rule, "pytorch-2.9", {}).kind, GradeKind::cited);
}

// What composing does in the native engine says nothing about somebody else's code.
TEST(Grades, AVersionThatThePageIsSilentAboutGradesNoOther) {
  const Rule rule = rule_of(page_with("pytorch>=2.6", "pytorch>=2.12"));
  const std::vector<Observation> older = {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)};
  EXPECT_EQ(print(grade(rule, "pytorch-2.15", older)), "cited");
  EXPECT_EQ(grade(rule, "pytorch-2.11", older).kind, GradeKind::refuted);
}

TEST(Grades, ANativeRunNeverGradesAClaimAboutSomebodyElse) {
  const Rule rule = rule_of(page_with("\"pytorch>=2.6\", \"native>=1\"", "\"pytorch>=2.6\""));
  const std::vector<Observation> seen{saw("native", "2.11.0", "fsdp=2,tp=2", Verdict::equal)};
  EXPECT_EQ(grade(rule, "pytorch-2.11", seen).kind, GradeKind::cited);
  EXPECT_EQ(grade(rule, "native-1", seen).kind, GradeKind::cited);
}

TEST(Grades, AnEngineDoesNotGradeForAnother) {
  const std::vector<Observation> seen{saw("native", "2.11.0", "fsdp=2,tp=2", Verdict::equal)};
  EXPECT_EQ(grade(rule_of(good_page()), "pytorch-2.11", seen).kind, GradeKind::cited);
  EXPECT_EQ(grade(rule_of(good_page()), "native-2.11", seen).kind, GradeKind::refuted);
}

TEST(Grades, AClaimAboutMathematicsIsGradedByAnybody) {
  const Rule rule = rule_of(page_with("[\"pytorch>=2.6\", \"native>=1\"]", "[\"math\"]"));
  const std::vector<Observation> seen{saw("native", "2.11.0", "fsdp=2,tp=2", Verdict::equal)};
  EXPECT_EQ(print(grade(rule, "pytorch-2.11", seen)), "refuted: native 2.11.0");
}

TEST(Grades, OnlyTheWitnessInExactArithmeticCounts) {
  const Rule rule = rule_of(good_page());
  for (const char* other : {"fsdp=4,tp=2", "fsdp=2,tp=2 seed=2", "fsdp=2,tp=2 arithmetic=plain"}) {
    Observation seen = saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal);
    seen.case_text = std::string(other) + " engine=pytorch";
    EXPECT_EQ(grade(rule, "pytorch-2.11", {seen}).kind, GradeKind::cited) << other;
  }
}

TEST(Grades, APageDoesNotGradeItself) {
  const Rule rule = rule_of(page_with("verdict = \"fails\"\n", "verdict = \"equal\"\nbecause = \"42 all_gathers in both\"\n"));
  EXPECT_EQ(grade(rule, "pytorch-2.11", {}).kind, GradeKind::cited) << "nobody ran it";
  const Grade made = grade(rule, "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)});
  EXPECT_EQ(print(made), "refuted: pytorch 2.11.0");
  EXPECT_EQ(made.note, "42 all_gathers in both");
}

TEST(Grades, TheRunIsReadBeforeThePagesDeparture) {
  Rule rule = rule_of(good_page());
  rule.harm = Harm::wrong;
  rule.expectations[0].verdict = Verdict::equal;
  rule.expectations[0].because = "the page says so";
  EXPECT_EQ(print(grade(rule, "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::differs)})),
            "reproduced: pytorch 2.11.0");
}

TEST(Grades, AClaimAboutOneImplementationIsNotGradedByTheEnginesRuns) {
  const Rule rule =
      rule_of(page_with("[\"pytorch>=2.6\", \"native>=1\"]", "[\"fairscale>=0\", \"pytorch-fsdp1>=1.12\", \"pytorch>=2.6\"]"));
  Rule theirs = rule;
  theirs.holds.pop_back();
  EXPECT_EQ(grade(rule, "pytorch-2.11", {refused("2.11.0")}).kind, GradeKind::reproduced);
  EXPECT_EQ(grade(theirs, "pytorch-2.11", {refused("2.11.0")}).kind, GradeKind::cited);
  EXPECT_EQ(grade(theirs, "pytorch-fsdp1-2.11", {refused("2.11.0")}).kind, GradeKind::cited);
}

TEST(Grades, ARunThatDecidesNothingLeavesItsVersionToTheCitations) {
  const std::vector<Observation> seen{refused("2.11.0"),
                                      saw("pytorch", "2.15.0", "fsdp=2,tp=2", Verdict::fails, "boom", Phase::apply)};
  const Rule rule = rule_of(good_page());
  const Grade made = grade(rule, "pytorch-2.15", seen);
  EXPECT_EQ(print(made), "cited");
  EXPECT_THAT(made.note, HasSubstr("pytorch 2.15.0: a foreign failure"));
  EXPECT_EQ(print(grade(rule, "pytorch-2.13", seen)), "reproduced: pytorch 2.11.0");
}

class Costs : public testing::Test {
 protected:
  Rule rule_ = [] {
    std::string text = page_with("harm = \"fails\"", "harm = \"slow\"");
    const std::size_t at = text.find("verdict = \"fails\"");
    text.replace(at, text.find("-->\n#") - at, "verdict = \"equal\"\nmore = \"all_gather@dp_shard\"\n");
    return rule_of(text);
  }();

  static Observation counted(const char* stack, std::int64_t gathers) {
    Observation seen = saw("pytorch", "2.11.0", stack, Verdict::equal);
    seen.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = gathers}};
    return seen;
  }
};

TEST_F(Costs, AreReproducedByACounterThatMoved) {
  EXPECT_EQ(grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", 3), counted("tp=2,fsdp=2", 2)}).kind, GradeKind::reproduced);
  const Grade same = grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", 2), counted("tp=2,fsdp=2", 2)});
  EXPECT_EQ(same.kind, GradeKind::refuted);
  EXPECT_EQ(same.note, "all_gather@dp_shard is 2 against 2 in the good stack, not more");
}

TEST_F(Costs, ACounterThatWasNotMeasuredDecidesNothing) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> gaps{
      {kNotMeasured, 2}, {3, kNotMeasured}, {kNotMeasured, kNotMeasured}};
  for (const auto& [bad, good] : gaps) {
    const Grade open = grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", bad), counted("tp=2,fsdp=2", good)});
    EXPECT_EQ(open.kind, GradeKind::cited) << bad << " " << good;
    EXPECT_EQ(open.note, "pytorch 2.11.0: all_gather@dp_shard is not measured by pytorch");
  }
}

TEST_F(Costs, NeedTheGoodStackToo) {
  EXPECT_EQ(grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", 3)}).kind, GradeKind::cited);
}

TEST_F(Costs, EqualNumbersAloneSayNothing) {
  rule_.expectations.clear();
  EXPECT_EQ(grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", 3), counted("tp=2,fsdp=2", 2)}).kind, GradeKind::cited);
}

TEST_F(Costs, ThatStayTheSameAreNotReproduced) {
  rule_.expectations[0].move = Move::same;
  rule_.expectations[0].because = "as many in both";
  const Grade made = grade(rule_, "pytorch-2.11", {counted("fsdp=2,tp=2", 51), counted("tp=2,fsdp=2", 51)});
  EXPECT_EQ(print(made), "refuted: pytorch 2.11.0");
  EXPECT_EQ(made.note, "as many in both");
}

TEST_F(Costs, AnIgnoredTransformIsTheOneThatThePageNames) {
  rule_.harm = Harm::ignored;
  rule_.loses = *parse_pattern("tp");
  rule_.expectations.clear();
  Observation bad = counted("fsdp=2,tp=2", 2);
  bad.verdict = Verdict::ignored;
  bad.effects = {{.transform = "tp=2", .present = false}};
  EXPECT_EQ(grade(rule_, "pytorch-2.11", {bad}).kind, GradeKind::reproduced);
  bad.effects = {{.transform = "fsdp=2", .present = false}};
  const Grade other = grade(rule_, "pytorch-2.11", {bad});
  EXPECT_EQ(other.kind, GradeKind::refuted);
  EXPECT_EQ(other.note, "fsdp=2 lost its effect, not tp");
}

TEST(Severities, AreComputed) {
  const Rule rule = rule_of(good_page());
  const auto severity = [&](const Rule& of, const char* target, const std::vector<Observation>& seen) {
    return severity_of(of, *parse_target(target), grade(of, target, seen));
  };
  EXPECT_EQ(severity(rule, "pytorch-2.11", {}), Severity::error);
  EXPECT_EQ(severity(rule, "pytorch-2.5", {}), Severity::advice) << "it does not hold for that version";
  EXPECT_EQ(severity(rule, "pytorch-2.11", {saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal)}), Severity::advice);

  Rule contested = rule;
  contested.citations.push_back(rule.citations[0]);
  contested.citations[1].says = Stance::disputes;
  EXPECT_EQ(severity(contested, "pytorch-2.11", {}), Severity::advice);
  EXPECT_EQ(severity(contested, "pytorch-2.11", {refused("2.11.0")}), Severity::error) << "a run decides";

  Rule slow = rule;
  slow.harm = Harm::slow;
  EXPECT_EQ(severity(slow, "pytorch-2.11", {}), Severity::advice);

  Rule fundamental = rule;
  fundamental.basis = Basis::fundamental;
  EXPECT_EQ(severity(fundamental, "pytorch-2.5", {}), Severity::error);
}

TEST(Commuting, IsShownByTwoEqualRunsWithEqualCounters) {
  Rule rule = rule_of(good_page());
  rule.kind = RuleKind::commutes;
  rule.expectations.clear();
  Observation one = saw("pytorch", "2.11.0", "fsdp=2,tp=2", Verdict::equal),
              other = saw("pytorch", "2.11.0", "tp=2,fsdp=2", Verdict::equal);
  EXPECT_EQ(grade(rule, "pytorch-2.11", {one}).kind, GradeKind::cited);
  EXPECT_EQ(grade(rule, "pytorch-2.11", {one, other}).kind, GradeKind::reproduced);
  one.counters.matmul_flops = other.counters.matmul_flops = kNotMeasured;
  EXPECT_EQ(grade(rule, "pytorch-2.11", {one, other}).kind, GradeKind::reproduced)
      << "what the engine never measures is no part of it";
  other.counters.matmul_flops = 7;
  const Grade open = grade(rule, "pytorch-2.11", {one, other});
  EXPECT_EQ(open.kind, GradeKind::cited);
  EXPECT_EQ(open.note, "pytorch 2.11.0: matmul_flops is not measured by pytorch");
  other.collectives = {{.kind = "all_gather", .group = "tp", .phase = Phase::forward, .count = 1}};
  EXPECT_EQ(grade(rule, "pytorch-2.11", {one, other}).kind, GradeKind::refuted);
}

}  // namespace
}  // namespace ordercheck
