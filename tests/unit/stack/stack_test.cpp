#include "stack/stack.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(OptionOf, TellsAFlagFromNothing) {
  const Item item{.name = "pp", .options = {{"1f1b", ""}, {"microbatches", "4"}}};
  EXPECT_EQ(option_of(item, "1f1b"), "");
  EXPECT_EQ(option_of(item, "microbatches"), "4");
  EXPECT_EQ(option_of(item, "gpipe"), std::nullopt);
}

TEST(ScopeOf, IsTheOneWrittenOrTheDefault) {
  EXPECT_EQ(scope_of({.name = "compile"}), Scope::block);
  EXPECT_EQ(scope_of({.name = "compile", .scope = Scope::model}), Scope::model);
  EXPECT_EQ(scope_of({.name = "cp"}), Scope::attention);
  EXPECT_EQ(scope_of({.name = "ep"}), Scope::experts);
}

TEST(Item, OriginIsNoPartOfEquality) {
  const Item here{.name = "ac", .origin = {"a.toml", 3}}, there{.name = "ac", .origin = {"b.toml", 9}};
  EXPECT_EQ(here, there);
  EXPECT_NE(here, (Item{.name = "ac", .mode = "full"}));
}

TEST(Origin, IsWrittenAsCompilersWritePlaces) {
  EXPECT_EQ(in_words(Origin{"train.yaml", 5}), "train.yaml:5");
  EXPECT_EQ(in_words(Origin{"command line", 0}), "command line");
  EXPECT_EQ(in_words(Origin{}), "");
}

}  // namespace
}  // namespace ordercheck
