#include "cli/shared/fault.h"

#include <gtest/gtest.h>

namespace ordercheck::cli {
namespace {

TEST(Fault, IsReadAsItIsWritten) {
  const auto fault = parse_fault("hang:1:layers.0.attention:backward");
  ASSERT_TRUE(fault) << fault.error().message;
  EXPECT_EQ(fault->kind, "hang");
  EXPECT_EQ(fault->rank, 1);
  EXPECT_EQ(fault->module, "layers.0.attention");
  EXPECT_EQ(fault->phase, Phase::backward);
}

TEST(Fault, ARankBeyondIntIsNotAnotherRank) {
  EXPECT_TRUE(parse_fault("crash:2147483647:a"));
  for (const char* rank : {"2147483648", "4294967296", "-1", "9223372036854775808", "x"})
    EXPECT_FALSE(parse_fault(std::string("crash:") + rank + ":a")) << rank;
}

TEST(Fault, AMessageIsOneLine) {
  const auto fault = parse_fault("crash:\n:a");
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().message, "fault 'crash:\\n:a': '\\n' is no rank");
}

}  // namespace
}  // namespace ordercheck::cli
