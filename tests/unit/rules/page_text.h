// A page that loads, to be changed in one place by each test.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rules/load.h"

namespace ordercheck {

// Line numbers of this text are asserted on: the head is lines 2 to 20.
inline std::string good_page() {
  return R"(<!--
id = "ORD-004"
first = "fsdp|hsdp"
then = "tp"
when = "tp > 1"
basis = "incidental"
harm = "fails"
holds = ["pytorch>=2.6", "native>=1"]
[[cite]]
url = "https://github.com/pytorch/torchtitan/issues/1554"
date = "2025-08-13"
says = "supports"
claim = "TP goes first."
[witness]
bad = "fsdp=2,tp=2"
good = "tp=2,fsdp=2"
[[expect]]
engine = "pytorch"
version = "2.11.0"
verdict = "fails"
phase = "apply"
message = "Cannot distribute a DTensor"
-->
# FSDP2 applied before tensor parallelism

## What it flags
One before the other.

## Why
FSDP shards what TP left, as of version 2.11 at least. So the basis is incidental.

## Limits
None known.
)";
}

// The page with one text exchanged for another; the text must be there.
inline std::string page_with(std::string_view old, std::string_view fresh) {
  std::string text = good_page();
  const std::size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return at == text.npos ? text : text.replace(at, old.size(), fresh);
}

inline std::string error_of(std::string_view text, std::string_view file = "rules/order/fsdp-before-tp.md") {
  const Result<Rule> rule = parse_rule(text, file);
  EXPECT_FALSE(rule) << "it loads";
  return rule ? "" : rule.error().message;
}

inline Rule rule_of(std::string_view text, std::string_view file = "rules/order/fsdp-before-tp.md") {
  const Result<Rule> rule = parse_rule(text, file);
  EXPECT_TRUE(rule) << (rule ? "" : rule.error().message);
  return rule ? *rule : Rule{};
}

}  // namespace ordercheck
