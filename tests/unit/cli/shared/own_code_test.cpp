#include "cli/shared/own_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck::cli {
namespace {

using testing::HasSubstr;

TEST(OwnCode, AFunctionIsWrittenWithItsModule) {
  EXPECT_TRUE(check_own_code({}));
  EXPECT_TRUE(check_own_code({.model = "llama", .apply = "pkg:function", .batch = "pkg.data:batch"}));
  const Status apply = check_own_code({.apply = "function"});
  ASSERT_FALSE(apply);
  EXPECT_THAT(apply.error().message, HasSubstr("--apply 'function' is not pkg:function"));
  const Status loss = check_own_code({.apply = "pkg:function", .loss = "loss"});
  ASSERT_FALSE(loss);
  EXPECT_THAT(loss.error().message, HasSubstr("--loss 'loss' is not pkg:function"));
}

TEST(OwnCode, WhatWasSaidReplacesWhatTheCaseSays) {
  Case c{.model = "pkg:one", .apply = "pkg:kept"};
  put_into({.model = "pkg:other", .widen = "transformers"}, c);
  EXPECT_EQ(c.model, "pkg:other");
  EXPECT_EQ(c.apply, "pkg:kept");
  EXPECT_EQ(c.widen, "transformers");
  EXPECT_EQ(c.batch, "");
}

TEST(OwnCode, TheOptionThatAsksForPythonIsNamed) {
  EXPECT_EQ(OwnCode{.model = "pkg:factory"}.option_given(), "");
  EXPECT_EQ((OwnCode{.apply = "a:b", .batch = "a:b"}).option_given(), "--apply");
  EXPECT_EQ((OwnCode{.batch = "a:b", .widen = "c"}).option_given(), "--batch");
}

TEST(OwnCodeOfTwo, AFunctionGivenTwiceIsThatOfEachSide) {
  OwnCodeOfTwo own{.model = "m:net"};
  own.functions[0] = {"m:old", "m:new"};
  own.functions[4] = {"m:step"};
  EXPECT_EQ(own.left().apply, "m:old");
  EXPECT_EQ(own.right().apply, "m:new");
  EXPECT_EQ(own.left().step, "m:step");
  EXPECT_EQ(own.right().step, "m:step");
  EXPECT_EQ(own.right().model, "m:net");
  EXPECT_TRUE(own.check());
  own.functions[0].push_back("m:third");
  EXPECT_EQ(own.check().error().message, "expected --apply once, or twice for left and right, got 3");
  own.functions[0] = {"m:old", "new"};
  EXPECT_THAT(own.check().error().message, HasSubstr("--apply 'new' is not pkg:function"));
}

}  // namespace
}  // namespace ordercheck::cli
