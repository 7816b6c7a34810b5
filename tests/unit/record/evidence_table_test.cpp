#include "record/evidence_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

EvidenceTable sample() {
  EvidenceTable table{.engine = "native",
                      .versions = {"libtorch 2.11.0", "gloo 1"},
                      .device = "cpu",
                      .controls = {{.name = "plain arithmetic", .held = true, .evidence = "17 of 19 differ"}}};
  table.rows.push_back({.engine = "native",
                        .version = "2.11.0",
                        .case_text = "ac,tp=2",
                        .verdict = Verdict::fails,
                        .ending = Ending::failed,
                        .phase = Phase::apply,
                        .module = "layers.0",
                        .operation = "all_gather",
                        .group = "tp",
                        .message = "a tab\there, a \\ and\na second line"});
  table.rows.push_back(
      {.engine = "native",
       .version = "2.11.0",
       .case_text = "fsdp=2:reshard=never,tp=2 accumulation=4",
       .verdict = Verdict::equal,
       .effects = {{.transform = "fsdp=2:reshard=never", .present = true, .signs = {{"6 all_gather"}, {"more"}}},
                   {.transform = "tp=2", .present = false, .partly = true, .signs = {{"0 collectives", true}, {"4 sends"}}},
                   {.transform = "quantize=fp8", .defined = false, .signs = {{"no effect"}}}},
       .counters = {.operators_recomputed = 3, .matmul_flops = 12},
       .collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 6, .bytes = 640}},
       .digest = hash_of("record")});
  table.rows.push_back({.engine = "native",
                        .version = "2.11.0",
                        .case_text = "tp=2",
                        .verdict = Verdict::differs,
                        .difference = Difference{.what = "loss", .step = 1, .rank = 0, .expected = "4014", .got = "4015"},
                        .message = "loss of step 1 on rank 0 is another"});
  return table;
}

TEST(Evidence, PrintedAndParsedIsTheSame) {
  const auto parsed = parse_evidence(print_evidence(sample()), "x.tsv");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, sample());
}

TEST(Evidence, APartReplacesItsRowsAndLeavesTheOthers) {
  EvidenceTable part{.engine = "native", .controls = {{.name = "repeated runs", .held = true, .evidence = "1 of 1"}}};
  part.rows = {sample().rows[0], sample().rows[2]};
  part.rows[0].case_text = "ac";
  part.rows[1].verdict = Verdict::equal;
  const EvidenceTable both = with_part(sample(), part);
  ASSERT_EQ(both.rows.size(), 4u);
  EXPECT_EQ(both.rows[0].case_text, "ac");
  EXPECT_EQ(both.rows[1], sample().rows[0]);
  EXPECT_EQ(both.rows[2], sample().rows[1]);
  EXPECT_EQ(both.rows[3].verdict, Verdict::equal);
  EXPECT_EQ(both.controls, sample().controls) << "controls are of a whole matrix";

  EvidenceTable without = sample();
  without.controls.clear();
  EXPECT_EQ(with_part(without, part).controls, part.controls);
}

TEST(Evidence, AControlMayHaveHadNothingToJudgeBy) {
  EvidenceTable table = sample();
  table.controls.push_back({.name = "repeated runs", .held = false, .evidence = "none completed", .judged = false});
  const auto again = parse_evidence(print_evidence(table), "x.tsv");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->controls, table.controls);
}

TEST(Evidence, RowsAreSortedAndOneALine) {
  EvidenceTable shuffled = sample();
  std::swap(shuffled.rows[0], shuffled.rows[2]);
  EXPECT_EQ(print_evidence(shuffled), print_evidence(sample()));
  EXPECT_EQ(split(print_evidence(sample()), '\n').size(), 12u);  // 8 of the head, 3 rows, the end
}

TEST(Evidence, ErrorsNameTheLine) {
  const auto error_of = [](const std::string& from, const std::string& to) {
    std::string text = print_evidence(sample());
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto parsed = parse_evidence(text, "x.tsv");
    return parsed ? "no error" : parsed.error().message;
  };
  EXPECT_THAT(error_of("# ordercheck evidence 4", "case"), HasSubstr("x.tsv:1: expected '# ordercheck evidence 4'"));
  EXPECT_THAT(error_of("# engine", "# motor"), HasSubstr("x.tsv:2: unknown head '# motor'"));
  EXPECT_THAT(error_of("# engine\tnative", "# engine"), HasSubstr("x.tsv:2: '# engine' has 0 values"));
  EXPECT_THAT(error_of("\theld\t", "\tgood\t"), HasSubstr("x.tsv:7: control 'plain arithmetic' is 'good'"));
  EXPECT_THAT(error_of("case\tverdict", "case\tresult"), HasSubstr("x.tsv:8: expected the line of column names"));
  EXPECT_THAT(error_of("\tfails\t", "\tfailed\t"), HasSubstr("x.tsv:9: unknown verdict 'failed'"));
  EXPECT_THAT(error_of("\tcompleted\t", "\tdone\t"), HasSubstr("x.tsv:10: ending 'done' is unknown"));
  EXPECT_THAT(error_of("\tapply\t", "\tapplied\t"), HasSubstr("x.tsv:9: phase 'applied' is unknown"));
  EXPECT_THAT(error_of("\tloss\t1\t", "\tloss\tfirst\t"), HasSubstr("x.tsv:11: step 'first' is no number of a step"));
  EXPECT_THAT(error_of("\tloss\t1\t", "\tloss\t-\t"), HasSubstr("x.tsv:11: 'loss' differs in no step"));
  EXPECT_THAT(error_of("matmul_flops=12", "matmul_flops=x"), HasSubstr("x.tsv:10: counter 'matmul_flops=x'"));
  EXPECT_THAT(error_of("matmul_flops=12", "flops=12"), HasSubstr("x.tsv:10: unknown counter 'flops'"));
  EXPECT_THAT(error_of("all_gather:dp_shard:forward", "all_gather:dp_shard:sideways"), HasSubstr("x.tsv:10: collective"));
  EXPECT_THAT(error_of(": yes: ", ": maybe: "), HasSubstr("x.tsv:10: effect of fsdp=2:reshard=never is 'maybe'"));
  EXPECT_THAT(error_of(hex(hash_of("record")), "12"), HasSubstr("x.tsv:10: digest '12'"));
  EXPECT_THAT(error_of("ac,tp=2\t", "zz\t"),
              HasSubstr("x.tsv:10: case 'fsdp=2:reshard=never,tp=2 accumulation=4' is not after 'zz'"));
  EXPECT_THAT(error_of("\tequal\tcompleted", "\tequal completed"), HasSubstr("x.tsv:10: 17 columns, expected 18"));
}

TEST(Evidence, IsReadAsFarAsIsWanted) {
  const std::string text = print_evidence(sample());
  const EvidenceTable whole = parse_evidence(text, "x.tsv").value();
  ASSERT_GT(whole.rows.size(), 1u);
  const std::string first = whole.rows[0].case_text;
  const auto some = parse_evidence(text, "x.tsv", [&](const EvidenceTable& head, std::string_view case_text) {
    EXPECT_EQ(head.engine, whole.engine);
    return case_text == first ? Reading::brief : Reading::skip;
  });
  ASSERT_TRUE(some) << some.error().message;
  ASSERT_EQ(some->rows.size(), 1u);
  EXPECT_EQ(some->rows[0].verdict, whole.rows[0].verdict);
  EXPECT_EQ(some->rows[0].message, whole.rows[0].message);
  EXPECT_TRUE(some->rows[0].effects.empty());
  EXPECT_TRUE(some->rows[0].collectives.empty());
}

TEST(Evidence, BuildNamesTheFile) {
  EXPECT_EQ(build_of(sample()), "libtorch-2.11.0-cpu");
  EvidenceTable plain = sample();
  plain.arithmetic = "plain";
  EXPECT_EQ(build_of(plain), "libtorch-2.11.0-cpu-plain");
  EvidenceTable of_project = sample();
  of_project.engine = "torchtitan";
  of_project.versions = {"torchtitan 0.3.0", "torch 2.15.0"};
  EXPECT_EQ(build_of(of_project), "torchtitan-0.3.0-torch-2.15.0-cpu");
  EXPECT_EQ(version_of(sample().versions), "2.11.0");
  EXPECT_EQ(evidence_path("matrix/evidence", sample()), "matrix/evidence/native/libtorch-2.11.0-cpu.tsv");
}

TEST(Evidence, FindsARowByItsCase) {
  const auto table = sample();
  ASSERT_NE(find_row(table, "ac,tp=2"), nullptr);
  EXPECT_EQ(find_row(table, "ac,tp=2")->verdict, Verdict::fails);
  EXPECT_EQ(find_row(table, "ac,tp=3"), nullptr);
}

Control control_of(const RepeatedRuns& runs) {
  return {.name = kRepeatedRuns, .held = runs.alike == runs.twice, .evidence = repeated_runs_in_words(runs)};
}

EvidenceTable part_of(const std::string& case_text, const RepeatedRuns& runs, Ending ending = Ending::completed) {
  EvidenceTable part;
  part.controls = {control_of(runs)};
  part.rows = {{.case_text = case_text, .ending = ending}};
  return part;
}

const Control kOneUnlike = control_of({.alike = 283, .twice = 284, .first_unlike = "tp=2,ac engine=pytorch"});

TEST(RepeatedRuns, WordsAreReadAgain) {
  for (const RepeatedRuns& runs : {RepeatedRuns{5, 5, ""}, RepeatedRuns{1, 2, "tp=2,ac engine=pytorch"}}) {
    EXPECT_EQ(parse_repeated_runs(repeated_runs_in_words(runs)), runs);
  }
  for (const char* other : {"", "none of the cases completed", "2 of 1 records", "one of 2 records", "-1 of 2 records"})
    EXPECT_FALSE(parse_repeated_runs(other)) << other;
}

TEST(RepeatedRuns, TheOneCaseThatWasUnlikeItselfRunAnewClearsTheTable) {
  const Control cleared = with_repeated(kOneUnlike, part_of("tp=2,ac engine=pytorch", {1, 1, ""}));
  EXPECT_TRUE(cleared.held);
  EXPECT_EQ(cleared.evidence, "284 of 284 records have the digest of their second run");
}

TEST(RepeatedRuns, OneThatDoesNotCompleteAnyMoreIsNotCounted) {
  const Control cleared = with_repeated(kOneUnlike, part_of("tp=2,ac engine=pytorch", {1, 1, ""}, Ending::failed));
  EXPECT_EQ(cleared.evidence, "283 of 283 records have the digest of their second run");
}

TEST(RepeatedRuns, AnotherCaseOrSeveralUnlikeThemselvesClearNothing) {
  EXPECT_EQ(with_repeated(kOneUnlike, part_of("ac engine=pytorch", {1, 1, ""})), kOneUnlike);
  const Control two = control_of({.alike = 2, .twice = 4, .first_unlike = "ac"});
  EXPECT_EQ(with_repeated(two, part_of("ac", {1, 1, ""})), two);
}

TEST(RepeatedRuns, APartThatIsUnlikeItselfFailsTheTable) {
  const EvidenceTable part = part_of("ac", {0, 1, "ac"});
  EXPECT_EQ(with_repeated(control_of({5, 5, ""}), part), part.controls.front());
}

TEST(RepeatedRuns, APartWithoutAJudgementLeavesTheTableItsOwn) {
  EvidenceTable part = part_of("tp=2,ac engine=pytorch", {1, 1, ""});
  part.controls.front().judged = false;
  EXPECT_EQ(with_repeated(kOneUnlike, part), kOneUnlike);
}

}  // namespace
}  // namespace ordercheck
