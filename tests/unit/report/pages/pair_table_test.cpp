#include "report/pages/pair_table.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/pages/rule_view.h"
#include "rules/pattern.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(PairTable, SaysWhatARunShowedAndTheCure) {
  const Sources sources = mini_on_pytorch();
  const auto rows = pair_table(sources, engine_runs_of(sources)).rows;
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["shown"], "fails");
  EXPECT_EQ(rows[0]["bad"], "fsdp=2,tp=2");
  EXPECT_EQ(rows[0]["good"], "tp=2,fsdp=2");
  EXPECT_EQ(rows[0]["happens"], "fails loudly in apply");
  EXPECT_EQ(rows[0]["since"], "2.15.0 (first run)");
  EXPECT_EQ(rows[0]["page"], "[ORD-901](../rules/order/fsdp-before-tp.md)");
}

TEST(PairTable, SaysSinceWhichReleaseWhereAnOlderOneWasRun) {
  Sources sources = mini_on_pytorch();
  const Target target = reader_target(sources);
  Rule page = sources.rules.front();
  page.holds = {*parse_holds("pytorch>=2.6")};
  EXPECT_EQ(since_in_words(page, target, sources.observations), "2.15.0 (first run)");
  EXPECT_EQ(since_in_words(page, target, {}), "2.6");
  Observation older = sources.observations.front();
  older.engine = "pytorch";
  older.version = "2.5.1";
  sources.observations.push_back(older);
  EXPECT_EQ(since_in_words(page, target, sources.observations), "2.6");
}

TEST(PairTable, PutsASilentHarmFirstAndHasARowAPage) {
  Sources sources = mini_on_pytorch();
  Rule silent = sources.rules.front();
  silent.id = "ORD-903";
  silent.one = *parse_pattern("ac");
  silent.witness = {.bad = *parse_stack("ac,tp=2,fsdp=2"), .good = *parse_stack("tp=2,ac,fsdp=2")};
  Rule smaller = sources.rules.front();
  for (Rule& rule : sources.rules)
    if (rule.id == "ORD-901") smaller = rule;
  silent.holds = smaller.holds;
  silent.kind = smaller.kind;
  silent.other = smaller.other;
  smaller.id = "ORD-904";
  sources.rules.push_back(smaller);
  sources.rules.push_back(silent);
  const auto rows = pair_table(sources, engine_runs_of(sources)).rows;
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0]["shown"], "wrong");
  EXPECT_EQ(rows[0]["happens"], "silently wrong: gradient of layers.0.attention.wq.weight of step 0 differs");
  EXPECT_THAT(rows[1]["page"].get<std::string>(), testing::HasSubstr("ORD-901"));
  EXPECT_THAT(rows[2]["page"].get<std::string>(), testing::HasSubstr("ORD-904"));
}

TEST(PairTable, TakesTheRunOfTheDefaultTrainerWhetherTheStackNamesItOrNot) {
  Sources sources = mini_on_pytorch();
  const auto rename = [&](const std::string& from, const std::string& to) {
    for (EvidenceTable& table : sources.evidence)
      for (Observation& row : table.rows)
        if (row.case_text == from + " engine=pytorch") row.case_text = to + " engine=pytorch";
    sources.observations = observations_of(sources.evidence);
  };
  rename("tp=2,fsdp=2", "tp=2,fsdp=2,optimizer=adamw");
  EXPECT_TRUE(pair_table(sources, engine_runs_of(sources)).rows.at(0)["good_ran"]);
  rename("tp=2,fsdp=2,optimizer=adamw", "tp=2,fsdp=2,optimizer=adamw:clip=1");
  EXPECT_FALSE(pair_table(sources, engine_runs_of(sources)).rows.at(0)["good_ran"]) << "clipping is another program";
}

TEST(PairTable, TellsWhereTheHarmIsClippings) {
  Sources sources = mini_on_pytorch();
  EXPECT_FALSE(pair_table(sources, engine_runs_of(sources)).rows.at(0)["clips"]);
  for (Rule& rule : sources.rules) rule.witness.bad = with_clipping(rule.witness.bad, kUsualThreshold);
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows)
      if (row.case_text == "fsdp=2,tp=2 engine=pytorch") row.case_text = "fsdp=2,tp=2,optimizer=adamw:clip=1 engine=pytorch";
  sources.observations = observations_of(sources.evidence);
  EXPECT_TRUE(pair_table(sources, engine_runs_of(sources)).rows.at(0)["clips"]);
}

TEST(PairTable, SaysWhetherAnEffectIsLostOrAPartOfIt) {
  Sources sources = mini_on_pytorch();
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows) {
      if (row.engine != "pytorch" || !row.case_text.starts_with("fsdp=2,tp=2")) continue;
      row.verdict = Verdict::ignored;
      row.effects = {{.transform = "tp=2", .partly = true, .signs = {{.text = "3 of 4 products split", .missing = true}}}};
    }
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).rows.at(0)["happens"],
            "silently with only a part of the effect of `tp=2`: 3 of 4 products split");
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows)
      for (Effect& effect : row.effects) effect.partly = false;
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).rows.at(0)["happens"],
            "silently without effect: 3 of 4 products split");
}

// mini's page fsdp before tp, whose good stack showed `verdict`.
Sources with_good_stack(Verdict verdict) {
  Sources sources = mini_on_pytorch();
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "tp=2,fsdp=2 engine=pytorch") row.verdict = verdict;
  sources.observations = observations_of(sources.evidence);
  return sources;
}

TEST(PairTable, BuildsNothingThatARunRefuted) {
  for (const Verdict verdict : {Verdict::fails, Verdict::differs, Verdict::ignored}) {
    const Sources sources = with_good_stack(verdict);
    EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).rows.at(0)["good"], "") << name_of(verdict);
  }
  const Sources sources = with_good_stack(Verdict::equal);
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).rows.at(0)["good"], "tp=2,fsdp=2");
  EXPECT_TRUE(pair_table(sources, engine_runs_of(sources)).rows.at(0)["good_ran"]);
}

TEST(PairTable, SaysWhereTheGoodStackWasNotRun) {
  Sources sources = mini_on_pytorch();
  std::erase_if(sources.evidence.at(0).rows,
                [](const Observation& row) { return row.case_text == "tp=2,fsdp=2 engine=pytorch"; });
  const PairTableRow row = pair_table(sources, engine_runs_of(sources)).rows.at(0);
  EXPECT_EQ(row["good"], "tp=2,fsdp=2");
  EXPECT_FALSE(row["good_ran"]);
}

// A clash that is loud in one order and silent in the other has a row for each; one that is loud in both has one.
TEST(PairTable, HasBothOrdersOfAClashWhereTheirHarmsDiffer) {
  Sources sources = mini_on_pytorch();
  for (Rule& rule : sources.rules)
    if (rule.id == "ORD-901") rule.kind = RuleKind::clash;
  const auto harms = [&](Verdict of_other) {
    for (Observation& row : sources.evidence.at(0).rows)
      if (row.case_text == "tp=2,fsdp=2 engine=pytorch") row.verdict = of_other;
    const PairTable table = pair_table(sources, engine_runs_of(sources));
    std::vector<std::string> texts;
    for (const PairTableRow& row : table.rows)
      texts.push_back(row["bad"].get<std::string>() + " " + row["shown"].get<std::string>());
    return texts;
  };
  EXPECT_THAT(harms(Verdict::differs), testing::ElementsAre("tp=2,fsdp=2 wrong", "fsdp=2,tp=2 fails"));
  EXPECT_THAT(harms(Verdict::fails), testing::ElementsAre("fsdp=2,tp=2 fails"));
}

TEST(PairTable, IsEmptyWithoutARunOfTheReadersVersion) {
  const Sources sources = mini();
  const PairTable table = pair_table(sources, engine_runs_of(sources));
  EXPECT_THAT(table.rows, IsEmpty());
  EXPECT_EQ(table.not_run, 1);
}

TEST(PairTable, CountsItsRows) {
  const Sources sources = mini_on_pytorch();
  const PairTable table = pair_table(sources, engine_runs_of(sources));
  EXPECT_EQ(table.run, 1);
  EXPECT_EQ(count_of(table, Shown::fails), 1u);
  EXPECT_EQ(count_of(table, Shown::wrong), 0u);
  EXPECT_EQ(table.equal + table.not_run, 0);
}

Shown cell(const PairMatrix& matrix, const std::string& first, const std::string& second) {
  const auto row = std::ranges::find(matrix.rows, first, &PairRow::name);
  const auto column = std::ranges::find(matrix.names, second) - matrix.names.begin();
  EXPECT_NE(row, matrix.rows.end()) << first;
  return row->cells.at(static_cast<std::size_t>(column));
}

TEST(PairMatrix, SaysWhatRunsOfTheReadersVersionShowed) {
  const Sources sources = mini_on_pytorch();
  const PairMatrix matrix = pair_matrix(sources, engine_runs_of(sources));
  EXPECT_EQ(matrix.names, (std::vector<std::string>{"tp", "ac", "fsdp"}));
  EXPECT_EQ(matrix.never_run, (std::vector<std::string>{"hsdp"}));
  EXPECT_EQ(cell(matrix, "fsdp", "tp"), Shown::fails);
  EXPECT_EQ(cell(matrix, "tp", "fsdp"), Shown::equal);
  EXPECT_EQ(cell(matrix, "tp", "tp"), Shown::not_run);
}

TEST(PairMatrix, HasNothingOfAnotherEngine) {
  const Sources sources = mini();
  const PairMatrix matrix = pair_matrix(sources, engine_runs_of(sources));
  EXPECT_TRUE(matrix.rows.empty());
  EXPECT_EQ(matrix.never_run, (std::vector<std::string>{"tp", "ac", "fsdp", "hsdp"}));
}

}  // namespace
}  // namespace ordercheck
