#include "engine/interrupt.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(interrupt, the_first_signal_sets_the_flag_and_ends_nothing) {
  InterruptFlag flag;
  EXPECT_FALSE(*flag.get());
  raise(SIGINT);
  EXPECT_TRUE(*flag.get());
}

TEST(interrupt, a_new_flag_starts_clear_and_the_old_handlers_come_back) {
  static volatile std::sig_atomic_t caught = 0;
  caught = 0;
  const auto before = std::signal(SIGTERM, [](int) { caught = 1; });
  {
    InterruptFlag flag;
    EXPECT_FALSE(*flag.get());
    raise(SIGTERM);
    EXPECT_TRUE(*flag.get());
    EXPECT_EQ(caught, 0);
  }
  raise(SIGTERM);
  EXPECT_EQ(caught, 1);
  std::signal(SIGTERM, before);
}

TEST(interruptDeathTest, the_second_signal_ends_the_process) {
  EXPECT_EXIT(
      {
        InterruptFlag flag;
        raise(SIGINT);
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace ordercheck
