// A few invented rules, small enough to reason about, and a judge over them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/check.h"
#include "stack/notation.h"

namespace ordercheck {

inline Stack stack(const char* text) {
  const Result<Stack> parsed = parse_stack(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Stack{};
}

struct Sketch {
  const char* id;
  RuleKind kind;
  const char* one;
  const char* other;
  Harm harm = Harm::fails;
  const char* when = "";
  const char* holds = "pytorch>=2";
};

inline Rule rule(const Sketch& sketch) {
  Rule made;
  made.id = sketch.id;
  made.kind = sketch.kind;
  made.slug = sketch.id;
  if (*sketch.one != 0) made.one = *parse_pattern(sketch.one);
  if (*sketch.other != 0) made.other = *parse_pattern(sketch.other);
  if (*sketch.when != 0) made.when = *parse_condition(sketch.when);
  made.harm = sketch.harm;
  made.holds = {*parse_holds(sketch.holds)};
  made.why = "Because it is so. More words.";
  made.citations.push_back({"https://github.com/pytorch/torchtitan/issues/1554", "2025-08-13", Stance::supports, "So."});
  made.witness.bad = stack("fsdp=2,tp=2");
  made.witness.good = stack("tp=2,fsdp=2");
  return made;
}

// What a run of the stack on pytorch 2.11 showed.
inline Observation ran(const char* stack_text, Verdict verdict) {
  Observation seen{.engine = "pytorch",
                   .version = "2.11",
                   .case_text = print(usual_case(stack(stack_text), Case{}.model, "pytorch")),
                   .verdict = verdict};
  if (verdict == Verdict::fails) seen.phase = Phase::apply;
  return seen;
}

enum class Given { rules };  // tells rules from sketches of them

// Owns what its judge refers to.
class Court {
 public:
  explicit Court(std::vector<Sketch> sketches, std::optional<int> ranks = {}, const char* target = "pytorch-2.11") {
    for (const Sketch& sketch : sketches) rules_.push_back(rule(sketch));
    judge_ = std::make_unique<Judge>(rules_, *parse_target(target), runs_, ranks);
  }
  explicit Court(Given, std::vector<Rule> rules, std::vector<Observation> runs = {}, Job job = {})
      : rules_(std::move(rules)), runs_(std::move(runs)) {
    judge_ = std::make_unique<Judge>(rules_, *parse_target("pytorch-2.11"), runs_, std::move(job));
  }
  const Judge& judge() const { return *judge_; }
  Report check(const char* text) const { return ordercheck::check(stack(text), *judge_); }

 private:
  std::vector<Rule> rules_;
  std::vector<Observation> runs_;
  std::unique_ptr<Judge> judge_;
};

// tp before ac before fsdp, as errors; compile between ac and fsdp, as advice.
inline std::vector<Sketch> usual_rules() {
  return {{"ORD-001", RuleKind::order, "ac", "tp"},
          {"ORD-002", RuleKind::order, "fsdp", "tp"},
          {"ORD-003", RuleKind::order, "fsdp", "ac"},
          {"ORD-004", RuleKind::order, "compile", "ac", Harm::slow},
          {"ORD-005", RuleKind::order, "fsdp", "compile", Harm::slow}};
}

inline std::vector<std::string> rules_of(const Report& report) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) ids.push_back(finding.rule);
  return ids;
}

}  // namespace ordercheck
