#include "ranks/placing/local_operator.h"

#include "unit/ranks/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

// The only node of a computation of one operator.
Node recorded(const Recorded& computation, const std::vector<at::Tensor>& inputs) {
  const GraphPtr graph = record("", computation, inputs, {});
  EXPECT_EQ(graph->forward.size(), 1U);
  return graph->forward.back();
}

TEST(RunOnPieces, TellsAnOperatorTheSizesOfThePiece) {
  const Node view = recorded([](const auto& in) { return in[0].view({8, 3, 4}); }, {numbers({8, 12}, 0)});
  const auto made = run_on_pieces(view, {numbers({4, 12}, 1)}, {{4, 3, 4}});
  EXPECT_TRUE(same_bits(made.at(0), numbers({4, 12}, 1).view({4, 3, 4})));
}

TEST(RunOnPieces, CopiesWhereThePieceDoesNotLieAsTheWholeDid) {
  const Node view = recorded([](const auto& in) { return in[0].view({96}); }, {numbers({8, 12}, 0)});
  const at::Tensor piece = numbers({12, 4}, 1).t();
  EXPECT_TRUE(same_bits(run_on_pieces(view, {piece}, {{48}}).at(0), piece.reshape({48})));
}

TEST(RunOnPieces, HandsListsOn) {
  const Node cat =
      recorded([](const auto& in) { return at::cat({in[0], in[1]}, 1); }, {numbers({4, 3}, 0), numbers({4, 5}, 1)});
  const at::Tensor a = numbers({2, 3}, 2), b = numbers({2, 5}, 3);
  EXPECT_TRUE(same_bits(run_on_pieces(cat, {a, b}, {{2, 8}}).at(0), at::cat({a, b}, 1)));
}

TEST(RunOnPieces, RefusesAResultOfOtherSizes) {
  const Node add = recorded([](const auto& in) { return in[0] + in[0]; }, {numbers({4, 3}, 0)});
  try {
    run_on_pieces(add, {numbers({2, 3}, 0), numbers({2, 3}, 0)}, {{4, 3}});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("aten::add on a piece: expected a result of [4, 3], got [2, 3]"));
  }
}

}  // namespace
}  // namespace ordercheck::ranks
