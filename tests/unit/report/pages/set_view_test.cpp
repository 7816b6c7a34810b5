#include "report/pages/set_view.h"

#include <gmock/gmock.h>

#include "parity/counters.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

Observation row(const std::string& stack, Verdict verdict, Counters counters, std::vector<CollectiveCount> collectives = {}) {
  Observation made;
  made.case_text = print(Case{.stack = parse_stack(stack).value()});
  made.verdict = verdict;
  made.ending = verdict == Verdict::fails ? Ending::failed : Ending::completed;
  if (verdict == Verdict::fails) made.phase = Phase::apply;
  made.counters = counters;
  made.collectives = std::move(collectives);
  return made;
}

struct Seen {
  Sources sources;
  EngineRuns engine;
};

Seen seen(std::vector<Observation> rows, const std::string& set) {
  Seen seen;
  seen.sources.space.models = {"llama"};
  seen.sources.space.sets = {parse_stack(set).value()};
  seen.sources.space.set_ranks = {1, 2};
  seen.engine.table.engine = "native";
  std::ranges::sort(rows, {}, &Observation::case_text);
  for (const Observation& each : rows) {
    Outcome outcome;
    outcome.subject = parse_case(each.case_text).value();
    outcome.seen = each;
    seen.engine.outcomes.push_back(outcome);
  }
  seen.engine.table.rows = std::move(rows);
  return seen;
}

TEST(SetView, OrdersThatAgreeInEverythingAreOneObject) {
  const Counters few{.operators_recomputed = 1, .graph_captures = 2}, many{.operators_recomputed = 9, .graph_captures = 2};
  const Seen two = seen({row("ac,compile", Verdict::equal, few), row("compile,ac", Verdict::equal, few)}, "ac,compile");
  EXPECT_EQ(set_views(two.sources, two.engine).at(0).objects, "1");
  const Seen apart = seen({row("ac,compile", Verdict::equal, few), row("compile,ac", Verdict::equal, many)}, "ac,compile");
  const SetView view = set_views(apart.sources, apart.engine).at(0);
  EXPECT_EQ(view.objects, "2");
  EXPECT_EQ(view.title, "`ac`, `compile` on 1 rank");
  EXPECT_EQ(view.orders, "2");
  EXPECT_EQ(view.verdicts, "2 equal");
}

TEST(SetView, OneCollectiveMoreIsAnotherObject) {
  const CollectiveCount once{.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::backward, .count = 1, .bytes = 8};
  const CollectiveCount twice{.kind = "all_reduce", .group = "dp_replicate", .phase = Phase::backward, .count = 2, .bytes = 8};
  const Seen apart =
      seen({row("ac,ddp=2", Verdict::equal, {}, {once}), row("ddp=2,ac", Verdict::equal, {}, {twice})}, "ac,ddp");
  const auto views = set_views(apart.sources, apart.engine);
  ASSERT_EQ(views.size(), 1u) << "on one rank the set cannot be filled";
  EXPECT_EQ(views[0].objects, "2");
}

TEST(SetView, WhatIsNotEqualIsNoObject) {
  const Seen mixed = seen(
      {row("ac,compile", Verdict::fails, {}), row("compile,ac", Verdict::ignored, {.operators_recomputed = 3})}, "ac,compile");
  const SetView view = set_views(mixed.sources, mixed.engine).at(0);
  EXPECT_EQ(view.objects, "");
  EXPECT_EQ(view.verdicts, "1 fails, 1 ignored");
}

TEST(SetView, WhatWasNotMeasuredTellsNoObjectsApart) {
  const Counters some{.operators_recomputed = 1, .graph_captures = kNotMeasured},
      all{.operators_recomputed = 1, .graph_captures = 2};
  const Seen two = seen({row("ac,compile", Verdict::equal, some), row("compile,ac", Verdict::equal, all)}, "ac,compile");
  EXPECT_EQ(set_views(two.sources, two.engine).at(0).objects, "not measured");
}

TEST(SetView, ASetWithoutARunIsLeftOut) {
  const Seen nothing = seen({}, "ac,compile");
  EXPECT_TRUE(set_views(nothing.sources, nothing.engine).empty());
}

}  // namespace
}  // namespace ordercheck
