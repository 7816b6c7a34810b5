#include "check/part_index.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "rule/match.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

Rule rule_of(RuleKind kind, const char* one, const char* other) {
  Rule rule;
  rule.kind = kind;
  if (*one != '\0') rule.one = *parse_pattern(one);
  if (*other != '\0') rule.other = *parse_pattern(other);
  return rule;
}

std::vector<std::size_t> found(const PartIndex& index, const char* stack) { return index.candidates(*parse_stack(stack)); }

TEST(PartIndex, names_rules_whose_parts_can_be_played) {
  const std::vector<Rule> rules{rule_of(RuleKind::order, "fsdp|hsdp", "tp"), rule_of(RuleKind::needs, "ep", "fsdp"),
                                rule_of(RuleKind::fits, "", ""), rule_of(RuleKind::effect, "compile=inductor", "fsdp"),
                                rule_of(RuleKind::commutes, "ac", "compile:!wrap")};
  const PartIndex index(rules);
  EXPECT_EQ(found(index, "tp=2,fsdp=2"), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(found(index, "tp=2"), (std::vector<std::size_t>{2})) << "half an order";
  EXPECT_EQ(found(index, "ep=2"), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(found(index, "compile,fsdp=2"), (std::vector<std::size_t>{2})) << "in another mode";
  EXPECT_EQ(found(index, "compile=inductor,fsdp=2"), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(found(index, "ac,compile:wrap"), (std::vector<std::size_t>{2}));
  EXPECT_EQ(found(index, "ac,compile"), (std::vector<std::size_t>{2, 4}));
}

// More rules than a word has bits.
TEST(PartIndex, holds_any_number_of_rules) {
  std::vector<Rule> rules(130, rule_of(RuleKind::clash, "ddp", "fsdp"));
  rules[129] = rule_of(RuleKind::clash, "ac", "sac");
  const PartIndex index(rules);
  EXPECT_EQ(found(index, "ac,sac"), (std::vector<std::size_t>{129}));
  EXPECT_EQ(found(index, "ddp=2,fsdp=2").size(), 129U);
}

}  // namespace
}  // namespace ordercheck
