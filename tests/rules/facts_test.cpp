// Every fact that was read in a public source is on a page, or says why it is on none.
#include "rule/facts.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"

namespace ordercheck {
namespace {

const Pages& all_pages() {
  static const Result<Pages> loaded = load_pages(ORDERCHECK_SOURCE_DIR "/rules");
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  return *loaded;
}

const std::vector<Fact>& facts() {
  static const Result<std::vector<Fact>> loaded = load_facts(ORDERCHECK_SOURCE_DIR "/matrix/facts", all_pages());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  static const std::vector<Fact> none;
  return loaded ? *loaded : none;
}

TEST(Facts, AreThere) { EXPECT_GT(facts().size(), 300u); }

TEST(Facts, AreClaimedByAPageThatCitesTheirSource) {
  for (const Fact& fact : facts()) {
    if (fact.pages.empty()) continue;
    const bool cited = std::ranges::any_of(
        fact.pages, [&](const std::string& id) { return cites_source_of(*find_rule(all_pages().rules, id), fact); });
    EXPECT_TRUE(cited) << fact.name << ": none of " << join(fact.pages, ", ") << " cites " << fact.source;
  }
}

// A reason that would fit anything explains nothing: it says what of this fact a page cannot say.
TEST(Facts, AreRefusedForAReasonOfTheirOwn) {
  for (const Fact& fact : facts())
    EXPECT_NE(fact.refused, fact.says) << fact.name << ": the fact is no reason why no page says it";
}

}  // namespace
}  // namespace ordercheck
