#include "report/pages/symptoms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Symptoms, LeadFromAMessageToItsPages) {
  const Sources sources = mini_on_pytorch();
  const auto found = symptoms(sources, engine_runs_of(sources));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].message, "`cannot split a sharded | parameter`");
  EXPECT_EQ(found[0].where, "fails in apply");
  EXPECT_EQ(found[0].pages, "[ORD-901](../rules/order/fsdp-before-tp.md)");
}

// The pinned part of a message is how people look for it.
TEST(Symptoms, StandOnceUnderWhatThePagePins) {
  Sources sources = mini_on_pytorch();
  for (Rule& rule : sources.rules)
    if (rule.id == "ORD-901") {
      rule.expectations = {{.engine = "pytorch",
                            .version = *parse_version("2.15.0"),
                            .stack = {},
                            .verdict = Verdict::fails,
                            .phase = {},
                            .message = "cannot split"}};
      Rule same = rule;
      same.id = "ORD-904";
      same.expectations.clear();
      sources.rules.push_back(same);
      break;
    }
  const auto found = symptoms(sources, engine_runs_of(sources));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].message, "`cannot split`");
  EXPECT_EQ(found[0].pages, "[ORD-901](../rules/order/fsdp-before-tp.md), [ORD-904](../rules/order/fsdp-before-tp.md)");
}

TEST(Symptoms, AreOfPyTorch) {
  const Sources sources = mini();
  EXPECT_THAT(symptoms(sources, engine_runs_of(sources)), IsEmpty());
}

}  // namespace
}  // namespace ordercheck
