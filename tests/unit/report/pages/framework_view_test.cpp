#include "report/pages/framework_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Framework order_of(const std::string& title, const std::string& release, const std::string& stack) {
  return {.name = title, .title = title, .project = "one", .release = release, .order = *parse_stack(stack)};
}

TEST(NewestOrders, AreThoseOfTheNewestReleaseByNumber) {
  const std::vector<Framework> frameworks{order_of("one 0.9.0 a", "0.9.0", "ac,tp"),
                                          order_of("one 0.10.0 b", "0.10.0", "tp,ac"),
                                          order_of("one, as a thread has it", "", "fsdp,tp")};
  const NewestOrders found = newest_orders(frameworks, "one");
  EXPECT_EQ(found.release, "one 0.10.0");
  EXPECT_THAT(found.orders, ElementsAre("b `tp → ac`"));
}

TEST(NewestOrders, AreNoneWithoutARelease) {
  EXPECT_THAT(newest_orders({order_of("one", "", "fsdp,tp")}, "one").orders, IsEmpty());
  EXPECT_THAT(newest_orders({order_of("one 0.9.0 a", "0.9.0", "ac,tp")}, "two").orders, IsEmpty());
}

}  // namespace
}  // namespace ordercheck
