#include "report/pages/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Topics, NameTransformsAndWhatIsAppliedToAScope) {
  const auto topics = parse_topics(
      "core = [\"tp\"]\nshardings = [\"fsdp\"]\nsections = [\"ep@experts\", \"sac\"]\nsample = \"tp=2\"\n", "pages.toml");
  ASSERT_TRUE(topics) << topics.error().message;
  EXPECT_THAT(topics->core, ElementsAre("tp"));
  EXPECT_THAT(topics->shardings, ElementsAre("fsdp"));
  ASSERT_EQ(topics->sections.size(), 2u);
  EXPECT_EQ(topics->sections[0].scope, Scope::experts);
  EXPECT_EQ(topics->sections[1].scope, std::nullopt);
  EXPECT_EQ(print(topics->sample), "tp=2");
}

TEST(Topics, RefuseWhatIsNoTransform) {
  const auto unknown = parse_topics("core = [\"tq\"]\nshardings = []\nsections = []\nsample = \"tp=2\"\n", "pages.toml");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("pages.toml:1: "));
  const auto two = parse_topics("core = []\nshardings = [\"fsdp|ddp\"]\nsections = []\nsample = \"tp=2\"\n", "pages.toml");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, HasSubstr("expected one transform, got 'fsdp|ddp'"));
}

TEST(Topics, HoldPairsWithStacksThatParse) {
  const std::string head =
      "core = []\nshardings = []\nsections = []\nsample = \"tp=2\"\n[[pair]]\norder = \"o\"\nsaid = \"s\"\n";
  const auto topics = parse_topics(head + "turned = [\"ac,tp=2\"]\n", "pages.toml");
  ASSERT_TRUE(topics) << topics.error().message;
  ASSERT_EQ(topics->pairs.size(), 1u);
  EXPECT_EQ(print(topics->pairs[0].turned.at(0)), "ac,tp=2");
  const auto bad = parse_topics(head + "turned = [\"ac,tq=2\"]\n", "pages.toml");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("pages.toml:8: stack 'ac,tq=2': unknown transform 'tq'"));
  const auto none = parse_topics(head, "pages.toml");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("expected the stacks of the opposite order"));
}

}  // namespace
}  // namespace ordercheck
