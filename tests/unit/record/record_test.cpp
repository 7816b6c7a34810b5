#include "record/record.h"

#include <functional>

#include <gtest/gtest.h>

#include "unit/record/sample_record.h"

namespace ordercheck {
namespace {

TEST(Record, NamesOfPhasesAndEndingsAreFoundAgain) {
  for (auto phase :
       {Phase::build, Phase::apply, Phase::forward, Phase::recompute, Phase::backward, Phase::optimizer, Phase::observe})
    EXPECT_EQ(find_named<Phase>(name_of(phase)), phase);
  for (auto ending : {Ending::completed, Ending::failed, Ending::deadlocked, Ending::timed_out, Ending::died, Ending::garbled,
                      Ending::out_of_range, Ending::unsupported, Ending::killed, Ending::unstarted})
    EXPECT_EQ(find_named<Ending>(name_of(ending)), ending);
  EXPECT_FALSE(find_named<Phase>("forwards"));
  EXPECT_FALSE(find_named<Ending>(""));
}

TEST(Digest, IsTheSameForTwoRunsThatSawTheSame) { EXPECT_EQ(digest(sample_record()), digest(sample_record())); }

TEST(Digest, LeavesOutWhereItRan) {
  Record elsewhere = sample_record();
  elsewhere.versions = {"fake 2.0"};
  elsewhere.device = "gpu";
  elsewhere.trace.push_back({.module = "layers.0", .file = "/one/place"});
  Record here = sample_record();
  here.trace.push_back({.module = "layers.0", .file = "/another"});
  EXPECT_EQ(digest(elsewhere), digest(here));
}

TEST(Digest, SeesEverythingElse) {
  const std::vector<std::function<void(Record&)>> changes{
      [](Record& r) { r.case_text += "x"; },
      [](Record& r) { r.engine += "x"; },
      [](Record& r) { r.ending = Ending::failed; },
      [](Record& r) { r.world_size++; },
      [](Record& r) { r.steps[1].loss[0].bits ^= 1; },
      [](Record& r) { r.steps[0].gradient_norm[0].bits ^= 1; },
      [](Record& r) { r.parameters[0].name += "x"; },
      [](Record& r) { r.parameters[0].shape = {12}; },
      [](Record& r) { r.parameters[0].gradient[1].words[1] ^= 1; },
      [](Record& r) { r.parameters[0].value.words[0] ^= 1; },
      [](Record& r) { r.parameters[0].changed = false; },
      [](Record& r) { r.parameters[0].replicas_agree = false; },
      [](Record& r) { r.buffers.push_back({.name = "mean"}); },
      [](Record& r) { r.collectives.push_back({.kind = "all_gather"}); },
      [](Record& r) { r.counters.graph_breaks++; },
      [](Record& r) { r.counters.graph_breaks = -1; },
      [](Record& r) { r.parity_owed = false; },
      [](Record& r) { r.range_used = 0.5; },
      [](Record& r) { r.notes.push_back("tp: matched nothing"); },
      [](Record& r) { r.trace.push_back({.module = "layers.0"}); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Record changed = sample_record();
    changes[i](changed);
    EXPECT_NE(digest(changed), digest(sample_record())) << "change " << i;
  }
}

TEST(Digest, TellsFieldsApart) {
  Record one, two;
  one.case_text = "ab";
  one.engine = "c";
  two.case_text = "a";
  two.engine = "bc";
  EXPECT_NE(digest(one), digest(two));
}

// Which rank raised first, and how far the others came, is up to the threads.
TEST(Digest, OfAFailureIsItsPlaceAlone) {
  Record one = sample_failure(Ending::failed, Phase::apply, "rank 0 says"), two = one;
  two.failure->rank = 1;
  two.failure->message = "rank 1 says";
  two.failure->ranks = {"rank 0: apply"};
  two.counters.matmul_flops = 7;
  EXPECT_EQ(digest(one), digest(two));
  two.failure->phase = Phase::forward;
  EXPECT_NE(digest(one), digest(two));
}

}  // namespace
}  // namespace ordercheck
