// The catalogue of messages names pages that there are.
#include <gtest/gtest.h>

#include "rules/known_messages.h"
#include "rules/pages.h"

namespace ordercheck {
namespace {

TEST(Messages, NameRulesThatThereAre) {
  for (const KnownMessage& one : known_messages())
    for (const std::string& id : one.rules) EXPECT_NE(find_rule(pages(), id), nullptr) << one.fragment << ": " << id;
}

}  // namespace
}  // namespace ordercheck
