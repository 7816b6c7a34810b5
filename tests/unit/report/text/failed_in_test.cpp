#include "report/text/failed_in.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

Case with_functions() {
  Case c;
  c.model = "mine:net";
  c.apply = "mine.parallel:shard";
  return c;
}

TEST(FailedIn, NamesTheUsersFunctionOnlyIfItRan) {
  EXPECT_EQ(failed_in(with_functions(), Phase::build), "your function mine:net (--model), or code that it called");
  EXPECT_EQ(failed_in(with_functions(), Phase::apply), "your function mine.parallel:shard (--apply), or code that it called");
  EXPECT_EQ(failed_in(Case{}, Phase::build), "the engine, which built its model llama");
  EXPECT_EQ(failed_in(Case{}, Phase::apply), "the engine, which applied the stack");
}

// Each may have raised: the record has the phase alone.
TEST(FailedIn, NamesBatchAndLossInTheirPhases) {
  Case c;
  c.batch = "mine:batch";
  c.loss = "mine:loss";
  EXPECT_EQ(failed_in(c, Phase::apply),
            "the engine, which applied the stack, your function mine:batch (--batch), or code that it called");
  EXPECT_EQ(failed_in(c, Phase::forward),
            "forward of the model or of your function mine:loss (--loss), called by ordercheck's trainer");
}

TEST(FailedIn, NamesTheUsersOptimizerAndStep) {
  Case c;
  c.optimizer = "mine:adam";
  EXPECT_EQ(failed_in(c, Phase::apply),
            "the engine, which applied the stack, your function mine:adam (--optimizer), or code that it called");
  EXPECT_EQ(failed_in(c, Phase::optimizer),
            "the optimizer of your function mine:adam (--optimizer), whose step() ordercheck's trainer called");
  c.step = "mine:step";
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::optimizer})
    EXPECT_EQ(failed_in(c, phase), "your function mine:step (--step), or code that it called");
}

TEST(FailedIn, NamesTheTrainerForTheStep) {
  EXPECT_EQ(failed_in(Case{}, Phase::backward), "backward of the model, called by ordercheck's trainer");
  EXPECT_EQ(failed_in(with_functions(), Phase::forward),
            "forward of the model, called by ordercheck's trainer; the model is as mine:net and mine.parallel:shard left it");
  EXPECT_EQ(failed_in(with_functions(), Phase::optimizer),
            "ordercheck's trainer, which clipped gradients or called optimizer.step()");
}

}  // namespace
}  // namespace ordercheck
