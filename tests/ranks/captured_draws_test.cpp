// Random numbers in a captured region: drawn whenever it is run, and by a recomputation as its random state says.
#include "native/graph/saved_tensors.h"
#include "native/module/random_state.h"
#include "native/transform/recompute.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

// Two draws from one stream, as a module that is called twice: none of them may be taken for the other.
at::Tensor scaled_twice(const Tensors& in) {
  const at::Tensor once = in[0] * draw_seeds("a").div(0x1p63).narrow(0, 0, 1);
  return (once * once * draw_seeds("a").div(0x1p63).narrow(0, 0, 1)).sin();
}

Recorded checkpointed(bool preserves) {
  return
      [preserves](const Tensors& in) { return recompute_in_backward(scaled_twice, in, {.preserve_random_state = preserves}); };
}

GraphPtr captured(const Recorded& computation, const Tensors& inputs) {
  GraphPtr graph = record("a region", computation, inputs, {});
  remove_dead_nodes(*graph);
  merge_equal_nodes(*graph);
  partition(*graph);
  remove_dead_nodes(*graph);
  return graph;
}

std::size_t draws_in(const std::vector<Node>& nodes) { return std::ranges::count_if(nodes, draws); }

// Two microbatches one after the other, each with random state of its own.
void expect_the_same_both_ways(const Recorded& computation) {
  install_saved_tensor_hooks();
  complete({}, [&](RankState& rank) {
    const at::Tensor x = variable(numbers({4}, 1));
    rank.random.restart(9, {3});
    const GraphPtr graph = captured(computation, {x});
    for (const std::int64_t sample : {3, 4}) {
      rank.random.restart(1, {sample});
      const Outcome eager = outcome_of(computation, {x}, {});
      rank.random.restart(1, {sample});
      const Outcome replayed = outcome_of([&](const Tensors& in) { return replay(graph, in); }, {x}, {});
      EXPECT_TRUE(same_bits(eager.value, replayed.value)) << sample;
      EXPECT_TRUE(same_bits(eager.gradients[0], replayed.gradients[0])) << sample;
    }
  });
}

TEST(CapturedDraws, AreDrawnWheneverTheGraphRuns) { expect_the_same_both_ways(scaled_twice); }
TEST(CapturedDraws, AreKeptForARecomputationThatPutsTheStateBack) { expect_the_same_both_ways(checkpointed(true)); }
TEST(CapturedDraws, AreDrawnAgainByOneThatDoesNot) { expect_the_same_both_ways(checkpointed(false)); }

TEST(CapturedDraws, StandInTheGraphOnce) {
  install_saved_tensor_hooks();
  complete({}, [](RankState& rank) {
    rank.random.restart(1, {3});
    const Tensors inputs{variable(numbers({4}, 1))};
    const GraphPtr plain = captured(scaled_twice, inputs), kept = captured(checkpointed(true), inputs),
                   fresh = captured(checkpointed(false), inputs);
    for (const GraphPtr& graph : {plain, kept, fresh}) EXPECT_EQ(draws_in(graph->forward), 2);
    EXPECT_EQ(draws_in(plain->backward), 0);
    EXPECT_EQ(draws_in(kept->backward), 0);
    EXPECT_EQ(draws_in(fresh->backward), 2);
  });
}

// What the capture itself draws is nobody's.
TEST(CapturedDraws, LeaveTheRandomStateAsItWas) {
  complete({}, [](RankState& rank) {
    rank.random.restart(1, {3});
    RandomState before = rank.random;
    record("a region", scaled_twice, {variable(numbers({4}, 1))}, {});
    EXPECT_EQ(rank.random.draw("a"), before.draw("a"));
  });
}

}  // namespace
}  // namespace ordercheck::ranks
