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

}  // namespace
}  // namespace ordercheck::cli
