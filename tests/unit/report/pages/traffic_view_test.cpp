#include "report/pages/traffic_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/counters.h"
#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// A table of two stacks in the space of the mini checkout, and one run of the first of them, in 4 microbatches.
Sources with_a_run(Verdict verdict, Ending ending) {
  Sources sources = mini();
  const TrafficTable table{.title = "modes",
                           .model = "llama",
                           .steps = 2,
                           .leave_out = {"tp"},
                           .stacks = {*parse_stack("fsdp=4"), *parse_stack("ddp=4")}};
  for (auto& [engine, space] : sources.own_spaces) space.traffic = {table};
  Observation run = sources.evidence.at(0).rows.at(0);
  run.case_text = "fsdp=4 steps=2";
  run.verdict = verdict;
  run.ending = ending;
  run.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 84, .bytes = 400},
                     {.kind = "all_gather", .group = "dp_shard", .phase = Phase::backward, .count = 80, .bytes = 400},
                     {.kind = "all_gather", .group = "tp", .phase = Phase::forward, .count = 7, .bytes = 7},
                     {.kind = "all_gather", .group = "dp_shard", .phase = Phase::observe, .count = 21, .bytes = 7},
                     {.kind = "reduce_scatter", .group = "dp_shard", .phase = Phase::backward, .count = 86, .bytes = 200}};
  sources.evidence.at(0).rows.push_back(run);
  sources.observations = observations_of(sources.evidence);
  return sources;
}

TEST(SentTables, CountInOneMicrobatchWithoutGroupsThatAreLeftOut) {
  const Sources sources = with_a_run(Verdict::equal, Ending::completed);
  const auto tables = sent_tables(sources, engine_runs_of(sources).at(0));
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].steps, "2");
  ASSERT_THAT(tables[0].rows, SizeIs(1)) << "ddp=4 was not run";
  const SentRow& row = tables[0].rows[0];
  EXPECT_EQ(row.stack, "`fsdp=4`");
  EXPECT_EQ(row.gathers, "21");
  EXPECT_EQ(row.gathers_again, "20");
  EXPECT_EQ(row.scatters, "21.5");
  EXPECT_EQ(row.reduces, "0");
  EXPECT_EQ(row.bytes, "250");
}

TEST(SentTables, SayWhatGraphsTakeWhereSomeWereTimed) {
  Sources sources = with_a_run(Verdict::equal, Ending::completed);
  EXPECT_THAT(sent_tables(sources, engine_runs_of(sources).at(0)).at(0).taken, IsEmpty()) << "no graph, no table of zeros";
  Counters& counters = sources.evidence.at(0).rows.back().counters;
  counters.graph_step_ns = 2714190;
  counters.graph_exposed_ns = 5050;
  counters.graph_held_bytes_peak = 2302080;
  counters.graph_buckets = 11;
  counters.saved_bytes_peak = 1234;
  counters.parameter_bytes_peak = kNotMeasured;
  sources.observations = observations_of(sources.evidence);
  const auto taken = sent_tables(sources, engine_runs_of(sources).at(0)).at(0).taken;
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].step, "2714.1");
  EXPECT_EQ(taken[0].exposed, "5.0");
  EXPECT_EQ(taken[0].held, "2 302 080");
  EXPECT_EQ(taken[0].buckets, "11");
  EXPECT_EQ(taken[0].saved, "1 234");
  EXPECT_EQ(taken[0].parameters, "");
}

TEST(SentTables, OfARunThatFailedSayNothingOfWhatItSent) {
  const Sources sources = with_a_run(Verdict::fails, Ending::failed);
  const SentRow row = sent_tables(sources, engine_runs_of(sources).at(0)).at(0).rows.at(0);
  EXPECT_EQ(row.gathers, "");
}

TEST(SentTables, CompareNumbersOfAMicrobatchExactly) {
  const SentCounts once{.gathers = 1, .microbatches = 20}, none{.microbatches = 6};
  EXPECT_FALSE(sends_as_often(once, none));
  EXPECT_TRUE(sends_as_often({.gathers = 63, .scatters = 3, .bytes = 8, .microbatches = 3},
                             {.gathers = 126, .scatters = 6, .bytes = 9, .microbatches = 6}));
  EXPECT_FALSE(sends_as_often({.gathers_again = 1}, {}));
  EXPECT_FALSE(sends_as_often({.scatters = 1}, {}));
  EXPECT_FALSE(sends_as_often({.reduces = 1}, {}));
}

TEST(SentTables, AreNotThereWithoutARun) {
  Sources sources = mini();
  for (auto& [engine, space] : sources.own_spaces)
    for (TrafficTable& table : space.traffic) table.stacks = {*parse_stack("ddp=4")};
  EXPECT_THAT(sent_tables(sources, engine_runs_of(sources).at(0)), IsEmpty());
}

using testing::ElementsAre;
using testing::HasSubstr;

Observation run_of(const Observation& like, const std::string& case_text, std::int64_t gathers) {
  Observation run = like;
  run.case_text = case_text;
  run.verdict = Verdict::equal;
  run.ending = Ending::completed;
  run.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = gathers, .bytes = 400}};
  return run;
}

// The engine of the mini checkout and another, which compiles by another name: fsdp=4 agrees, compile@model,fsdp=4 differs, ddp=4 was
// run on the first alone and fsdp=3 on the second.
class BesideTables : public testing::Test {
 protected:
  void SetUp() override {
    sources_ = mini();
    EvidenceTable& ours = sources_.evidence.at(0);
    const Observation like = ours.rows.at(0);
    ours.rows = {run_of(like, "fsdp=4 steps=2", 8), run_of(like, "compile@model,fsdp=4 steps=2", 12),
                 run_of(like, "ddp=4 steps=2", 4)};
    EvidenceTable theirs = ours;
    theirs.engine = "other";
    theirs.versions = {"other 2.0.0"};
    theirs.rows = {run_of(like, "fsdp=4 engine=other steps=4", 16),
                   run_of(like, "compile=aot_eager@model,fsdp=4 engine=other steps=4", 16),
                   run_of(like, "fsdp=3 engine=other steps=4", 16)};
    sources_.evidence.push_back(theirs);
    Space& space = sources_.own_spaces.at("native");
    space.traffic = {{.title = "ours",
                      .model = "llama",
                      .steps = 2,
                      .stacks = stacks({"fsdp=4", "compile@model,fsdp=4", "ddp=4", "hsdp=2x2"}),
                      .beside = Beside{.engine = "other", .title = "theirs", .models = "They have blocks."},
                      .differs = {{.stacks = stacks({"compile@model,fsdp=4"}), .why = "Ours asks again.", .page = "ORD-901"}},
                      .file = "matrix/space.toml"}};
    sources_.space.traffic.clear();
    Space others = space;
    others.traffic = {{.title = "theirs",
                       .model = "llama",
                       .steps = 4,
                       .stacks = stacks({"fsdp=3", "fsdp=4", "compile=aot_eager@model,fsdp=4", "hsdp=2x2"})}};
    sources_.own_spaces.insert_or_assign("other", others);
  }

  static std::vector<Stack> stacks(const std::vector<std::string>& texts) {
    std::vector<Stack> stacks;
    for (const std::string& text : texts) stacks.push_back(*parse_stack(text));
    return stacks;
  }

  TrafficTable& table() { return sources_.own_spaces.at("native").traffic.at(0); }
  EvidenceTable& theirs() { return sources_.evidence.at(1); }

  std::vector<BesideTable> laid(std::size_t engine = 0) {
    const auto engines = engine_runs_of(sources_);
    auto tables = sent_tables(sources_, engines.at(engine));
    EXPECT_THAT(tables, SizeIs(1));
    lay_beside(tables, sources_, engines.at(engine), engines);
    return tables.at(0).beside;
  }

  // "" where nothing is refused.
  std::string refused() {
    const Status checked = check_beside(sources_, engine_runs_of(sources_));
    return checked ? "" : checked.error().message;
  }

  Sources sources_;
};

TEST_F(BesideTables, LayStacksBesideThoseThatDifferInTheBackendAlone) {
  EXPECT_EQ(refused(), "");
  const auto made = laid();
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made[0].engine, "other 2.0.0");
  EXPECT_EQ(made[0].models, "They have blocks.");
  ASSERT_THAT(made[0].rows, SizeIs(2));
  EXPECT_EQ(made[0].rows[0].there, "2 / 0 / 0 / 0");
  EXPECT_EQ(made[0].rows[0].says, "agrees");
  EXPECT_EQ(made[0].rows[1].stack, "`compile@model,fsdp=4`");
  EXPECT_EQ(made[0].rows[1].gathers, "3");
  EXPECT_EQ(made[0].rows[1].there, "2 / 0 / 0 / 0");
  EXPECT_EQ(made[0].rows[1].says, "Ours asks again. [ORD-901](../rules/order/fsdp-before-tp.md)");
  EXPECT_THAT(made[0].only_here, ElementsAre("`ddp=4`"));
  EXPECT_THAT(made[0].only_there, ElementsAre("`fsdp=3`"));
  EXPECT_THAT(laid(1), IsEmpty()) << "the other engine's page has its own table alone";
}

TEST_F(BesideTables, StandBesideTheVersionThatIsNamed) {
  EvidenceTable newer = theirs();
  newer.versions = {"other 3.0.0"};
  sources_.evidence.push_back(newer);
  EXPECT_EQ(laid().at(0).engine, "other 3.0.0");
  table().beside->version = "2.0.0";
  EXPECT_EQ(laid().at(0).engine, "other 2.0.0");
}

TEST_F(BesideTables, ShowAllThatTheSameStackSentUnderEachBackend) {
  const Observation like = theirs().rows.at(0);
  theirs().rows.push_back(run_of(like, "compile=inductor@model,fsdp=4 engine=other steps=4", 24));
  sources_.own_spaces.at("other").traffic.at(0).stacks.push_back(*parse_stack("compile=inductor@model,fsdp=4"));
  EXPECT_EQ(laid().at(0).rows.at(1).there, "2 / 0 / 0 / 0; 3 / 0 / 0 / 0");
  EXPECT_EQ(refused(), "") << "one of them differs";
}

TEST_F(BesideTables, MeanTheNewestVersion) {
  EvidenceTable older = theirs();
  older.versions = {"other 1.0.0"};
  for (Observation& row : older.rows) row.collectives.at(0).count *= 2;
  sources_.evidence.push_back(older);
  EXPECT_EQ(laid().at(0).engine, "other 2.0.0");
  EXPECT_EQ(refused(), "");
}

TEST_F(BesideTables, RefuseADifferenceThatNothingExplains) {
  table().differs.clear();
  EXPECT_EQ(refused(),
            "matrix/space.toml: traffic 'ours': stack `compile@model,fsdp=4` sends 3 / 0 / 0 / 0 here and 2 / 0 / 0 / 0 on "
            "other 2.0.0, "
            "and nothing says why; add it to a [[traffic.differs]]");
}

TEST_F(BesideTables, RefuseOneCollectiveMoreInAWholeRun) {
  theirs().rows.at(0).collectives.at(0).count += 1;
  EXPECT_THAT(refused(), HasSubstr("stack `fsdp=4` sends 2 / 0 / 0 / 0 here and 2.1 / 0 / 0 / 0 on other 2.0.0"));
}

TEST_F(BesideTables, RefuseAReasonForARowThatAgrees) {
  table().differs.at(0).stacks.push_back(*parse_stack("fsdp=4"));
  EXPECT_EQ(refused(),
            "matrix/space.toml: traffic 'ours': [[traffic.differs]] says why stack `fsdp=4` differs, and it sends 2 / 0 / 0 / "
            "0 here and "
            "on other 2.0.0; drop it there");
}

TEST_F(BesideTables, RefuseAReasonForARowThatIsNotThere) {
  table().differs.at(0).stacks.push_back(*parse_stack("ddp=4"));
  EXPECT_THAT(refused(), HasSubstr("says why stack `ddp=4` differs, and no run of it can be compared with one on other 2.0.0"));
  table().differs.at(0).stacks.back() = *parse_stack("hsdp=2x2");
  EXPECT_THAT(refused(), HasSubstr("says why stack `hsdp=2x2` differs, and it was not run"));
}

TEST_F(BesideTables, LeaveOutARunThatFailed) {
  theirs().rows.at(1).ending = Ending::failed;
  theirs().rows.at(1).verdict = Verdict::fails;
  EXPECT_THAT(laid().at(0).rows, SizeIs(1));
  EXPECT_THAT(laid().at(0).only_here, ElementsAre("`compile@model,fsdp=4`", "`ddp=4`"));
  EXPECT_THAT(refused(), HasSubstr("no run of it can be compared with one"));
}

TEST_F(BesideTables, RefuseATableThatNobodyHas) {
  table().beside->title = "their";
  EXPECT_EQ(
      refused(),
      "matrix/space.toml: traffic 'ours': the space of other has no table 'their' to compare with; did you mean 'theirs'?");
  table().beside->engine = "othr";
  EXPECT_THAT(refused(), HasSubstr("unknown engine 'othr' in 'beside'; did you mean 'other'?"));
}

TEST_F(BesideTables, RefuseAPageThatNobodyHas) {
  table().differs.at(0).page = "ORD-999";
  EXPECT_THAT(refused(), HasSubstr("no rule has the id 'ORD-999'"));
}

TEST_F(BesideTables, AreNotThereWithoutRunsOfTheOther) {
  sources_.evidence.pop_back();
  sources_.engines.push_back("other");
  sources_.own_spaces.erase("other");
  EXPECT_THAT(laid(), IsEmpty());
  EXPECT_EQ(refused(), "");
}

}  // namespace
}  // namespace ordercheck
