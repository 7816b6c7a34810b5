#include "native/graph/node_builder.h"

#include <stdexcept>

#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

std::vector<std::string> names(const std::vector<Node>& nodes) {
  std::vector<std::string> all;
  for (const Node& node : nodes) all.push_back(node.name().substr(6));
  return all;
}

GraphPtr chain() {
  const Recorded computation = [](const Tensors& in) {
    const at::Tensor first = in[0].exp().sin();
    return first + in[0].cos();
  };
  return record("a region", computation, {variable(numbers({2}, 0))}, {});
}

TEST(PutMakersFirst, LeavesWhatIsInOrder) {
  const GraphPtr graph = chain();
  const auto before = names(graph->forward);
  put_makers_first(graph->forward);
  EXPECT_EQ(names(graph->forward), before);
}

TEST(PutMakersFirst, MovesWhatIsNeededRightBeforeItsFirstReader) {
  const GraphPtr graph = chain();
  std::vector<Node>& nodes = graph->forward;  // exp sin cos add
  std::rotate(nodes.begin(), nodes.end() - 1, nodes.end());
  put_makers_first(nodes);
  EXPECT_THAT(names(nodes), testing::ElementsAre("exp", "sin", "cos", "add"));
  std::swap(nodes[0], nodes[1]);
  put_makers_first(nodes);
  EXPECT_THAT(names(nodes), testing::ElementsAre("exp", "sin", "cos", "add"));
}

TEST(PutMakersFirst, SaysThatThereIsACircle) {
  const GraphPtr graph = chain();
  graph->forward[0].arguments[0].values = results(graph->forward[1]);
  EXPECT_THROW(put_makers_first(graph->forward), std::logic_error);
}

TEST(ValueUses, NameMakersAndReadersByPlace) {
  const GraphPtr graph = chain();
  const ValueUses uses(graph->forward);
  EXPECT_EQ(uses.maker(results(graph->forward[0]).front()), 0u);
  EXPECT_FALSE(uses.maker(graph->inputs[0]));
  EXPECT_THAT(uses.readers(graph->inputs[0]), testing::ElementsAre(0u, 2u));
  EXPECT_TRUE(uses.readers(graph->output).empty());
}

}  // namespace
}  // namespace ordercheck::ranks
