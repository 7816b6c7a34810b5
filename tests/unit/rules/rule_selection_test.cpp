#include "rules/rule_selection.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

const std::vector<Rule>& selectable_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> made;
    for (const char* id : {"CLA-017", "FIT-001", "ORD-003", "ORD-004"}) made.emplace_back().id = id;
    return made;
  }();
  return rules;
}

std::vector<std::string> selected(const std::vector<std::string>& select, const std::vector<std::string>& ignore) {
  const auto selection = RuleSelection::parse(select, ignore, selectable_rules());
  if (!selection) return {selection.error().message};
  std::vector<std::string> ids;
  for (const Rule& rule : selectable_rules())
    if (selection->has(rule.id)) ids.push_back(rule.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(RuleSelection, SelectsByIdsAndPrefixes) {
  EXPECT_EQ(selected({}, {}), (Ids{"CLA-017", "FIT-001", "ORD-003", "ORD-004"}));
  EXPECT_EQ(selected({"ORD"}, {}), (Ids{"ORD-003", "ORD-004"}));
  EXPECT_EQ(selected({"ORD-004, CLA"}, {}), (Ids{"CLA-017", "ORD-004"}));
  EXPECT_EQ(selected({"ORD-004", "CLA"}, {}), (Ids{"CLA-017", "ORD-004"}));
  EXPECT_EQ(selected({}, {"FIT,ORD-00"}), (Ids{"CLA-017"}));
}

TEST(RuleSelection, TheLongerPrefixDecidesAndOfEqualOnesTheIgnored) {
  EXPECT_EQ(selected({"ORD"}, {"ORD-004"}), (Ids{"ORD-003"}));
  EXPECT_EQ(selected({"ORD-004"}, {"ORD"}), (Ids{"ORD-004"}));
  EXPECT_EQ(selected({"ORD", "CLA"}, {"ORD"}), (Ids{"CLA-017"}));
}

// With no rule, nothing would be found in any stack.
TEST(RuleSelection, OfNoRuleIsAnError) {
  EXPECT_EQ(selected({"ORD"}, {"ORD"}), Ids{"--select ORD --ignore ORD: no rule is left to ask; ignore fewer than you select"});
}

TEST(RuleSelection, KeepsTheOptionsAsWritten) {
  const auto written = [](const Ids& select, const Ids& ignore) {
    return RuleSelection::parse(select, ignore, selectable_rules())->written();
  };
  EXPECT_EQ(written({}, {}), "");
  EXPECT_EQ(written({"ORD, CLA"}, {}), "--select ORD,CLA");
  EXPECT_EQ(written({"ORD"}, {"FIT", "ORD-004"}), "--select ORD --ignore FIT,ORD-004");
}

TEST(RuleSelection, AnUnknownPrefixIsOneLine) {
  EXPECT_EQ(selected({"ORB"}, {}), Ids{"--select ORB: no rule has an id that begins so; did you mean 'ORD'?"});
  EXPECT_EQ(selected({"ord"}, {}), Ids{"--select ord: no rule has an id that begins so; did you mean 'ORD'?"});
  EXPECT_EQ(selected({}, {"ORD-005"}), Ids{"--ignore ORD-005: no rule has an id that begins so; did you mean 'ORD-003'?"});
  EXPECT_EQ(
      selected({}, {"E501"}),
      Ids{"--ignore E501: no rule has an id that begins so; ids begin with CLA, FIT, ORD; `ordercheck rules` lists them"});
  EXPECT_EQ(selected({"ORD,"}, {}), Ids{"--select 'ORD,': expected ids or prefixes of ids joined by commas, such as "
                                        "ORD,CLA-017, got an empty one"});
}

}  // namespace
}  // namespace ordercheck
