#include "rules/precedence.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::pair<std::size_t, std::size_t>> pairs(const std::vector<PrecedenceEdge>& edges) {
  std::vector<std::pair<std::size_t, std::size_t>> made;
  for (const PrecedenceEdge& edge : edges) made.emplace_back(edge.before, edge.after);
  return made;
}

using Pair = std::pair<std::size_t, std::size_t>;

TEST(PrecedenceGraph, HasAnEdgeForEveryDemand) {
  const PrecedenceGraph graph = precedence_graph(stack("fsdp=2,ac,tp=2"), Court(usual_rules()).judge());
  EXPECT_THAT(pairs(graph.edges), ElementsAre(Pair{1, 0}, Pair{2, 0}, Pair{2, 1}));
  EXPECT_TRUE(graph.edges[0].is_error);
  EXPECT_THAT(graph.edges[0].rules, ElementsAre("ORD-003"));
  EXPECT_TRUE(graph.cycle.empty());
}

TEST(PrecedenceGraph, StableOrderKeepsWhatIsFree) {
  const Court court(usual_rules());
  EXPECT_THAT(stable_order(precedence_graph(stack("fsdp=2,cp=2,ac,tp=2"), court.judge())), ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(stable_order(precedence_graph(stack("cp=2,pp=2"), court.judge())), ElementsAre(0, 1));
  EXPECT_THAT(stable_order(precedence_graph(Stack{}, court.judge())), ElementsAre());
}

TEST(PrecedenceGraph, IrreducibleEdgesLeaveOutWhatFollows) {
  const PrecedenceGraph graph = precedence_graph(stack("tp=2,ac,fsdp=2"), Court(usual_rules()).judge());
  EXPECT_THAT(pairs(graph.edges), ElementsAre(Pair{0, 1}, Pair{0, 2}, Pair{1, 2}));
  EXPECT_THAT(pairs(irreducible_edges(graph)), ElementsAre(Pair{0, 1}, Pair{1, 2}));
}

TEST(PrecedenceGraph, ErrorsThatContradictEachOtherMakeACycle) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"},
                     {"ORD-002", RuleKind::order, "tp", "fsdp"},
                     {"ORD-003", RuleKind::order, "fsdp", "ac"}});
  const PrecedenceGraph graph = precedence_graph(stack("pp=2,tp=2,ac,fsdp=2"), court.judge());
  EXPECT_THAT(graph.cycle, UnorderedElementsAre(1, 2, 3));
}

TEST(PrecedenceGraph, AdviceGivesWayToErrors) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp", Harm::slow}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  const PrecedenceGraph graph = precedence_graph(stack("tp=2,ac"), court.judge());
  EXPECT_TRUE(graph.cycle.empty());
  EXPECT_THAT(pairs(graph.edges), ElementsAre(Pair{1, 0}));
}

TEST(PrecedenceGraph, AdviceAboutOthersGivesWayToAdviceThatHolds) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp", Harm::slow, "", "megatron>=0"},
                     {"ORD-002", RuleKind::order, "tp", "ac", Harm::slow}});
  EXPECT_THAT(pairs(precedence_graph(stack("tp=2,ac"), court.judge()).edges), ElementsAre(Pair{1, 0}));
}

}  // namespace
}  // namespace ordercheck
