#include "record/evidence_fields.h"

#include <gtest/gtest.h>

#include "record/counters.h"

namespace ordercheck {
namespace {

TEST(Field, EscapedTextComesBack) {
  for (const char* text : {"", "-", "--", "plain", "a\tb\nc\\d\r", "\\-", "\\t", " padded "}) {
    const auto back = unescape_field(escape_field(text));
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(*back, text);
    EXPECT_EQ(escape_field(text).find_first_of("\t\n\r"), std::string::npos);
    EXPECT_FALSE(escape_field(text).empty());
  }
}

TEST(Field, ALoneBackslashIsRefused) {
  EXPECT_FALSE(unescape_field("torn\\"));
  EXPECT_FALSE(unescape_field("\\q"));
}

TEST(Field, CountersLeaveOutZero) {
  EXPECT_EQ(print_counters({}), "");
  EXPECT_EQ(print_counters({.graph_captures = 1, .graph_step_ns = 5}), "graph_captures=1 graph_step_ns=5");
  EXPECT_EQ(*parse_counters("graph_captures=1 graph_step_ns=5"), (Counters{.graph_captures = 1, .graph_step_ns = 5}));
  EXPECT_EQ(parse_counters("graph_step_ns=?").error().message, "unknown counter 'graph_step_ns'")
      << "it is worked out or left out";
  EXPECT_EQ(print_counters({.operators_recomputed = 5, .p2p_messages = 2}), "operators_recomputed=5 p2p_messages=2");
}

TEST(Field, ACounterThatWasNotMeasuredIsNoZeroAndComesBack) {
  const Counters counters{.operators_recomputed = 5, .matmul_flops = kNotMeasured};
  EXPECT_EQ(print_counters(counters), "operators_recomputed=5 matmul_flops=?");
  const auto back = parse_counters(print_counters(counters));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, counters);
  EXPECT_EQ(parse_counters("matmul_flops=-1").error().message,
            "counter 'matmul_flops=-1' is not '<name>=<number>', or '<name>=?' where it was not measured");
}

}  // namespace
}  // namespace ordercheck
