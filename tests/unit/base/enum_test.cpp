#include "base/enum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

ORDERCHECK_ENUM(Fruit, apple, passion_fruit, fig)

TEST(Enum, NamesAreThoseOfTheList) {
  static_assert(all_of<Fruit>().size() == 3);
  EXPECT_STREQ(name_of(Fruit::passion_fruit), "passion_fruit");
  EXPECT_THAT(all_names<Fruit>(), testing::ElementsAre("apple", "passion_fruit", "fig"));
}

TEST(Enum, IsFoundByItsWholeName) {
  EXPECT_EQ(find_named<Fruit>("fig"), Fruit::fig);
  EXPECT_EQ(find_named<Fruit>("fi"), std::nullopt);
  EXPECT_EQ(find_named<Fruit>(""), std::nullopt);
}

}  // namespace
}  // namespace ordercheck
