// Every fact that was read in a public source is on a page, or says why it is on none.
#include "rule/facts.h"

#include <algorithm>
#include <regex>

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

// "what a norm needs is CLA-033": a reason that sends a reader to a page sends him to one that is there.
TEST(Facts, AreRefusedWithPagesThatExist) {
  static const std::regex kPage(R"(\b[A-Z]{3}-\d{3}\b)");
  std::size_t named = 0;
  for (const Fact& fact : facts())
    for (std::sregex_iterator at(fact.refused.begin(), fact.refused.end(), kPage), end; at != end; ++at, ++named)
      EXPECT_NE(find_rule(all_pages().rules, at->str()), nullptr) << fact.name << ": there is no page " << at->str();
  EXPECT_GT(named, 20u) << "reasons name their pages otherwise now";
}

}  // namespace
}  // namespace ordercheck
