#include "report/pages/traffic_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/counters.h"
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

}  // namespace
}  // namespace ordercheck
