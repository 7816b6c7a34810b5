#include "native/module/random_state.h"

#include <gmock/gmock.h>

#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;

TEST(RandomState, GivesASampleTheSameSeedWhereverItIs) {
  RandomState all, last;
  all.restart(1, {5, 6, 7});
  last.restart(1, {7});
  EXPECT_EQ(all.draw("a")[2], last.draw("a")[0]);
  EXPECT_EQ(all.draw("a")[2], last.draw("a")[0]) << "the second draw too";
}

TEST(RandomState, GivesEveryDrawAnother) {
  RandomState state;
  state.restart(1, {5, 6});
  const auto first = state.draw("a"), second = state.draw("a");
  EXPECT_NE(first, second);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(state.draw("b"), first);
  state.restart(2, {5, 6});
  EXPECT_NE(state.draw("a"), first);
  state.restart(1, {5, 6});
  EXPECT_EQ(state.draw("a"), first);
}

// A stage of a pipeline draws for its own layers what the whole model does.
TEST(RandomState, KeepsStreamsApart) {
  RandomState whole, stage;
  whole.restart(1, {5});
  stage.restart(1, {5});
  whole.draw("layers.0");
  EXPECT_EQ(whole.draw("layers.1"), stage.draw("layers.1"));
}

TEST(RandomScope, PutsBackWhatWasThereBefore) {
  complete({}, [](RankState&) {
    RandomState& state = this_rank().random;
    state.restart(1, {5});
    const auto then = random_state_now();
    const at::Tensor first = draw_seeds("a"), second = draw_seeds("a");
    {
      const RandomScope scope(then);
      EXPECT_TRUE(draw_seeds("a").equal(first));
    }
    EXPECT_FALSE(draw_seeds("a").equal(second)) << "the third";
    {
      const RandomScope none(std::nullopt);
      draw_seeds("b");
    }
    EXPECT_NE(state.draw("b"), RandomState(*then).draw("b"));
  });
}

TEST(RandomScope, DrawsNothingOutsideARank) { EXPECT_THROW(draw_seeds("a"), c10::Error); }

}  // namespace
}  // namespace ordercheck::ranks
