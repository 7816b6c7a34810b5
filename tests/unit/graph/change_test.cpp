#include "graph/change.h"

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/sample_graph.h"

namespace ordercheck::captured {
namespace {

using testing::ElementsAre;

std::vector<std::string> told(const std::vector<ChangedNode>& nodes) {
  std::vector<std::string> texts;
  for (const ChangedNode& one : nodes)
    texts.push_back(std::string(name_of(one.change)) + " " +
                    (one.node.results.empty() ? "-" : std::to_string(one.node.results[0])));
  return texts;
}

SampleGraph chain_of(int length) {
  SampleGraph sample;
  int last = sample.input(4);
  for (int i = 0; i < length; ++i) last = sample.add("aten::exp", {last}, 4);
  return sample;
}

TEST(Change, OfAGraphAndItselfThereIsNone) {
  const GraphRecord graph = chain_of(3).graph;
  EXPECT_THAT(told(change_between(graph, graph)), ElementsAre("same 1", "same 2", "same 3"));
}

TEST(Change, WhatIsGoneStandsBehindWhatItStoodBehind) {
  const GraphRecord before = chain_of(4).graph;
  GraphRecord after = before;
  after.nodes.erase(after.nodes.begin() + 1);
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("same 1", "removed 2", "same 3", "same 4"));
  after.nodes.erase(after.nodes.begin());
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("removed 1", "removed 2", "same 3", "same 4"));
  EXPECT_THAT(told(change_between(after, before)), ElementsAre("added 1", "added 2", "same 3", "same 4"));
}

TEST(Change, OneNodeThatGoesToTheFrontMovedAndNotAllThatItPassed) {
  const GraphRecord before = chain_of(4).graph;
  GraphRecord after = before;
  std::ranges::rotate(after.nodes, after.nodes.begin() + 3);
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("moved 4", "same 1", "same 2", "same 3"));
}

TEST(Change, AnotherOperandOrTagIsSaid) {
  const GraphRecord before = chain_of(3).graph;
  GraphRecord after = before;
  after.nodes[1].operands = {0};
  after.nodes[1].arguments = "%0";
  after.nodes[2].bucket = "a";
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("same 1", "rewired 2", "rewired 3"));
}

TEST(Change, AnotherOperatorForTheSameValueIsAnotherNode) {
  const GraphRecord before = chain_of(2).graph;
  GraphRecord after = before;
  after.nodes[1].op = "aten::neg";
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("same 1", "removed 2", "added 2"));
}

TEST(Change, HalvesAreApart) {
  SampleGraph sample = chain_of(1);
  sample.backward = true;
  sample.add("aten::exp", {1}, 4);
  GraphRecord after = sample.graph;
  after.nodes[1].backward = false;
  EXPECT_THAT(told(change_between(sample.graph, after)), ElementsAre("same 1", "added 2", "removed 2"));
}

TEST(Change, NodesThatMakeNothingAreToldApartByWhatTheyAreHandedAndByCount) {
  GraphRecord before = chain_of(1).graph;
  const GraphNodeRecord check{.op = "aten::_assert_async", .arguments = "%1", .operands = {1}};
  before.nodes.push_back(check);
  before.nodes.push_back(check);
  GraphRecord after = before;
  after.nodes.pop_back();
  EXPECT_THAT(told(change_between(before, after)), ElementsAre("same 1", "same -", "removed -"));
}

// Nothing is lost and nothing is told twice, whatever was dropped, put in or moved.
RC_GTEST_PROP(Change, TellsBothGraphsWhole, (int length, unsigned seed)) {
  const GraphRecord whole = chain_of(1 + std::abs(length) % 12).graph;
  std::mt19937 draw(seed);
  const auto drawn = [&] {
    GraphRecord graph = whole;
    std::ranges::shuffle(graph.nodes, draw);
    graph.nodes.resize(draw() % (graph.nodes.size() + 1));
    return graph;
  };
  const GraphRecord before = drawn(), after = drawn();
  std::vector<GraphNodeRecord> behind, in_front;
  for (const ChangedNode& one : change_between(before, after)) {
    if (one.change != NodeChange::removed) behind.push_back(one.node);
    if (one.change != NodeChange::added) in_front.push_back(one.node);
  }
  RC_ASSERT(behind == after.nodes);
  const auto by_result = [](const GraphNodeRecord& node) { return node.results; };
  std::vector<GraphNodeRecord> all_before = before.nodes;
  std::ranges::sort(all_before, {}, by_result);
  std::ranges::sort(in_front, {}, by_result);
  RC_ASSERT(in_front == all_before);
}

}  // namespace
}  // namespace ordercheck::captured
