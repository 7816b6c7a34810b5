#include "report/pages/pair_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rule/pattern.h"
#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(PairTable, SaysWhatARunShowedAndTheCure) {
  const Sources sources = mini_on_pytorch();
  const auto rows = pair_table(sources, engine_runs_of(sources));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].shown, Shown::fails);
  EXPECT_EQ(rows[0].bad, "fsdp=2,tp=2");
  EXPECT_EQ(rows[0].good, "tp=2,fsdp=2");
  EXPECT_EQ(rows[0].happens, "fails loudly in apply: `cannot split a sharded | parameter`");
  EXPECT_EQ(rows[0].since, "2.6");
  EXPECT_EQ(rows[0].cure, "`tp` before `fsdp`");
  EXPECT_EQ(rows[0].page, "[ORD-901](rules/fsdp-before-tp.md)");
}

TEST(PairTable, PutsASilentHarmFirstAndAPairOnce) {
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
  const auto rows = pair_table(sources, engine_runs_of(sources));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].shown, Shown::wrong);
  EXPECT_EQ(rows[0].happens, "silently wrong: gradient of layers.0.attention.wq.weight of step 0 differs");
  EXPECT_EQ(rows[1].others, "ORD-904");
}

TEST(PairTable, NamesTheTrainerThatTheGoodStackRanEqualWith) {
  Sources sources = mini_on_pytorch();
  for (EvidenceTable& table : sources.evidence) {
    std::vector<Observation> rows;
    for (Observation& row : table.rows) {
      if (row.engine != "pytorch" || row.case_text != "tp=2,fsdp=2 engine=pytorch") {
        rows.push_back(row);
        continue;
      }
      for (const auto& [clip, verdict] : {std::pair("1", Verdict::differs), std::pair("per_mesh", Verdict::equal)}) {
        row.case_text = std::string("tp=2,fsdp=2,optimizer=adamw:clip=") + clip + " engine=pytorch";
        row.verdict = verdict;
        rows.push_back(row);
      }
    }
    table.rows = rows;
  }
  sources.observations = observations_of(sources.evidence);
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).at(0).good, "tp=2,fsdp=2,optimizer=adamw:clip=per_mesh");
}

TEST(PairTable, SaysWhetherAnEffectIsLostOrAPartOfIt) {
  Sources sources = mini_on_pytorch();
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows) {
      if (row.engine != "pytorch" || !row.case_text.starts_with("fsdp=2,tp=2")) continue;
      row.verdict = Verdict::ignored;
      row.effects = {{.transform = "tp=2", .partly = true, .signs = {{.text = "3 of 4 products split", .missing = true}}}};
    }
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).at(0).happens,
            "silently with only a part of the effect of `tp=2`: 3 of 4 products split");
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows)
      for (Effect& effect : row.effects) effect.partly = false;
  EXPECT_EQ(pair_table(sources, engine_runs_of(sources)).at(0).happens, "silently without effect: 3 of 4 products split");
}

TEST(PairTable, IsEmptyWithoutARunOfTheReadersVersion) {
  const Sources sources = mini();
  EXPECT_THAT(pair_table(sources, engine_runs_of(sources)), IsEmpty());
  EXPECT_EQ(count_pages(sources, engine_runs_of(sources)).not_run, 1);
}

TEST(PairTable, CountsPagesByWhatTheirStackShowed) {
  const Sources sources = mini_on_pytorch();
  const PageCount count = count_pages(sources, engine_runs_of(sources));
  EXPECT_EQ(count.run, 1);
  EXPECT_EQ(count.fails, 1);
  EXPECT_EQ(count.wrong + count.without_effect + count.slower + count.equal + count.not_run, 0);
}

}  // namespace
}  // namespace ordercheck
