#include "rules/rule.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(ShortNames, AreWhatPeopleSay) {
  const auto named = [](const char* url) {
    Citation citation;
    citation.url = url;
    return short_name(citation);
  };
  EXPECT_EQ(named("https://github.com/pytorch/torchtitan/issues/1554"), "torchtitan#1554");
  EXPECT_EQ(named("https://github.com/pytorch/pytorch/pull/164009"), "pytorch#164009");
  EXPECT_EQ(named("https://github.com/pytorch/torchtitan/blob/v0.2.2/torchtitan/train.py"), "torchtitan v0.2.2 train.py");
  EXPECT_EQ(named("https://example.org/a/b"), "example.org/a/b");
}

TEST(Harms, ShowAsVerdicts) {
  EXPECT_EQ(verdict_of(Harm::wrong), Verdict::differs);
  EXPECT_EQ(verdict_of(Harm::slow), Verdict::equal);
}

TEST(Names, AreReadBack) {
  for (const std::string& name : all_names<RuleKind>()) EXPECT_EQ(name_of(*find_named<RuleKind>(name)), name);
  EXPECT_FALSE(find_named<Harm>("fail"));
}

}  // namespace
}  // namespace ordercheck
