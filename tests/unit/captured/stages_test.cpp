#include "captured/stages.h"

#include <gmock/gmock.h>

namespace ordercheck::captured {
namespace {

using testing::HasSubstr;

GraphRecord behind(const std::string& module, std::vector<std::string> passes) {
  return {.module = module, .passes = std::move(passes)};
}

TEST(Stages, ACaptureBeginsWhereNoPassHasRun) {
  const auto captures = captures_of(
      {behind("a", {}), behind("a", {"common"}), behind("b", {}), behind("b", {"common"}), behind("b", {"common", "x"})});
  ASSERT_EQ(captures.size(), 2u);
  EXPECT_EQ(captures[0].size(), 2u);
  EXPECT_EQ(captures[1].back().passes.size(), 2u);
  EXPECT_TRUE(captures_of({}).empty());
}

TEST(Stages, APassIsFoundByItsNameAndTheTimeItRan) {
  const std::vector<std::string> ran{"dead_code", "common", "dead_code"};
  EXPECT_EQ(*place_of_pass(ran, "common"), 1u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code"), 0u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code:1"), 0u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code:2"), 2u);
}

TEST(Stages, APassThatDidNotRunIsRefusedWithThoseThatDid) {
  const std::vector<std::string> ran{"dead_code", "common"};
  for (const char* name : {"bucket", "dead_code:2", "dead_code:0", "dead_code:", "dead_code:x", "dead_code:1x", ""})
    EXPECT_EQ(place_of_pass(ran, name).error().message,
              "the pass '" + std::string(name) + "' did not run; these did, in this order: dead_code, common");
  EXPECT_THAT(place_of_pass({}, "common").error().message, HasSubstr("in this order: none"));
}

}  // namespace
}  // namespace ordercheck::captured
