// Every rank of a group issues its collectives in one order, whatever passes make of a graph, and however unlike the ranks are: with
// shorter pieces, with none, and with experts that get other numbers of tokens. Another order on one rank is a deadlock on a device.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ranks/on_program.h"

namespace ordercheck::ranks {
namespace {

// Of each group what a graph sends, in order: "all_gather_into_tensor of layers.0".
using InOrder = std::map<std::string, std::vector<std::string>>;

InOrder sent_by(const GraphRecord& graph) {
  InOrder sent;
  for (const GraphNodeRecord& node : graph.nodes)
    if (!node.group.empty()) sent[node.group].push_back(node.op + " of " + node.bucket);
  return sent;
}

class OneOrder : public testing::TestWithParam<const char*> {};

// A rank whose microbatches are not all of one size has more graphs of a module than others.
TEST_P(OneOrder, B15OfCollectivesOnEveryRank) {
  const auto results = run_program(GetParam(), find_transform_of_engine);
  ASSERT_GT(results.size(), 1u);
  std::map<std::string, InOrder> of_module;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    EXPECT_FALSE(results[rank].graphs.empty());
    for (const GraphRecord& graph : results[rank].graphs) {
      const auto [first, added] = of_module.try_emplace(graph.module, sent_by(graph));
      if (!added) EXPECT_EQ(sent_by(graph), first->second) << "rank " << rank << ", " << graph.module;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stacks, OneOrder,
                         testing::Values("simple_fsdp=5:bucket=auto,compile@model", "simple_fsdp=7:bucket=auto,compile@model",
                                         "simple_fsdp=7:bucket=transformer_block,compile@model",
                                         "cp=2,simple_fsdp=3:bucket=auto,compile@model",
                                         "tp=2,ac,simple_fsdp=2:bucket=auto,compile@model",
                                         "ep=2,simple_fsdp=4:bucket=auto,compile@model model=moe",
                                         "ep=4,simple_fsdp=4:bucket=auto,compile@model model=moe"));

// That what is compared tells one order from another.
TEST(OrderOfCollectives, IsToldFromAnotherOne) {
  const auto order = [](const std::string& passes) {
    const std::string text = "simple_fsdp=2:bucket=transformer_block,compile:passes=" + passes + "@model";
    return sent_by(run_program(text, find_transform_of_engine).at(0).graphs.at(0));
  };
  EXPECT_NE(order("common+partition+bucket"), order("common+partition+bucket+overlap"));
}

}  // namespace
}  // namespace ordercheck::ranks
