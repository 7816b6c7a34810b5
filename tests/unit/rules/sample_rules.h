// Two invented rules: tp goes before fsdp, else it fails as fail_in_apply (unit/matrix/fake_runner.h) does; and ac may change places
// with tp.
#pragma once

#include <vector>

#include "rules/rule.h"
#include "stack/notation.h"

namespace ordercheck {

inline Rule sample_order_rule() {
  Rule rule;
  rule.id = "ORD-901";
  rule.kind = RuleKind::order;
  rule.one = *parse_pattern("fsdp");
  rule.other = *parse_pattern("tp");
  rule.harm = Harm::fails;
  rule.basis = Basis::incidental;
  rule.holds = {*parse_holds("native>=1")};
  rule.witness = {.bad = *parse_stack("fsdp=2,tp=2"), .good = *parse_stack("tp=2,fsdp=2")};
  rule.expectations = {{.engine = "native",
                        .version = *parse_version("2.11.0"),
                        .verdict = Verdict::fails,
                        .phase = Phase::apply,
                        .message = "mixed"}};
  return rule;
}

inline Rule sample_commuting_rule() {
  Rule rule;
  rule.id = "COM-901";
  rule.kind = RuleKind::commutes;
  rule.one = *parse_pattern("ac");
  rule.other = *parse_pattern("tp");
  rule.holds = {*parse_holds("native>=1")};
  rule.witness = {.bad = *parse_stack("ac,tp=2"), .good = *parse_stack("tp=2,ac")};
  return rule;
}

inline std::vector<Rule> sample_rules() { return {sample_order_rule(), sample_commuting_rule()}; }

}  // namespace ordercheck
