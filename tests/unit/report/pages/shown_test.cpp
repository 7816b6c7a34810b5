#include "report/pages/shown.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

Shown shown(const char* stack, const Sources& sources) {
  return shown_by(*parse_stack(stack), sources, engine_runs_of(sources));
}

TEST(Shown, IsWhatTheReadersVersionShowed) {
  const Sources sources = mini_on_pytorch();
  EXPECT_EQ(shown("tp=2,fsdp=2", sources), Shown::equal);
  EXPECT_EQ(shown("fsdp=2,tp=2", sources), Shown::fails);
  EXPECT_EQ(shown("fsdp=2,ac,tp=2", sources), Shown::fails) << "a hang";
  EXPECT_EQ(shown("ac,tp=2,fsdp=2", sources), Shown::wrong);
  EXPECT_EQ(shown("ac", sources), Shown::not_run) << "unstable decides nothing";
  EXPECT_EQ(shown("tp=4", sources), Shown::not_run);
  EXPECT_EQ(shown("tp=2,fsdp=2", mini()), Shown::not_run) << "another engine";
}

TEST(Shown, OfAPairIsOfAnyDegree) {
  Sources sources = mini_on_pytorch();
  for (Observation& row : sources.evidence.at(0).rows) {
    if (row.case_text == "tp=2,ac engine=pytorch") row.case_text = "tp=4,ac engine=pytorch";
    if (row.case_text == "tp=2,fsdp=2 engine=pytorch") row.case_text = "tp=2,optimizer=adamw engine=pytorch";
    if (row.case_text == "fsdp=2,ac engine=pytorch") row.case_text = "fsdp=2:reshard=never,ac engine=pytorch";
  }
  EXPECT_EQ(shown_by_pair("tp", "ac", sources, engine_runs_of(sources)), Shown::equal);
  EXPECT_EQ(shown_by_pair("tp", "optimizer", sources, engine_runs_of(sources)), Shown::equal);
  EXPECT_EQ(shown_by_pair("fsdp", "ac", sources, engine_runs_of(sources)), Shown::not_run) << "with an option";
  EXPECT_EQ(shown_by_pair("tp", "cp", sources, engine_runs_of(sources)), Shown::not_run);
}

TEST(Shown, HasASignForEach) {
  EXPECT_TRUE(is_silent(Shown::wrong));
  EXPECT_FALSE(is_silent(Shown::fails));
  EXPECT_STRNE(sign_of(Shown::equal), sign_of(Shown::not_run));
}

}  // namespace
}  // namespace ordercheck
