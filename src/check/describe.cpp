#include "check/describe.h"

#include <cassert>

#include <fmt/format.h>

#include "rule/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::string while_phase(Phase phase) {
  switch (phase) {
    case Phase::build: return "while building";
    case Phase::apply: return "while applying";
    case Phase::forward: return "in forward";
    case Phase::recompute: return "in the recomputed forward";
    case Phase::backward: return "in backward";
    case Phase::optimizer: return "in the optimizer's step";
    case Phase::observe: return "while gathering what it computed";
  }
  assert(false && "a phase is one of seven");
  return "";
}

// The item as prose names it: with its degree where sizes matter, else by name alone.
std::string named(const Item& item, bool whole) { return whole ? print(item) : item.name; }

void describe_pair(const Rule& rule, const Firing& firing, const Stack& stack, Finding& finding) {
  const Item &first = stack.items[firing.items.at(0)], &second = stack.items[firing.items.back()];
  const bool alike = first.name == second.name;
  const std::string a = named(first, alike), b = named(second, alike);
  if (rule.kind == RuleKind::order) {
    finding.headline = fmt::format("{} is applied before {}", a, b);
    if (firing.items.size() == 3) finding.headline += fmt::format(", with {} between", stack.items[firing.items.at(1)].name);
    finding.instead = fmt::format("{} goes before {}", b, a);
  } else {
    finding.headline = fmt::format("{} and {} are both applied", a, b);
    finding.instead = fmt::format("{} and {} exclude each other", a, b);
  }
}

void describe_single(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge, Finding& finding) {
  const bool about_item = !firing.items.empty();
  const std::string item = about_item ? named(stack.items[firing.items.front()], rule.kind != RuleKind::needs) : "the mesh";
  if (rule.kind == RuleKind::needs) {
    finding.headline = fmt::format("{} is applied without {}", item, print(rule.other));
    finding.instead = fmt::format("{} needs {}", item, print(rule.other));
    return;
  }
  if (rule.kind == RuleKind::effect) {
    finding.headline = fmt::format("{} is accepted and without effect", item);
    finding.instead = fmt::format("{} does nothing here", item);
    return;
  }
  assert(rule.when && "a fits page has a condition");
  const std::string values = explain(*rule.when, condition_values(stack, judge.job()));
  finding.headline = fmt::format("{} does not fit: {}", item, rule.when->text);
  finding.instead = fmt::format("{}", values);
}

}  // namespace

std::string shows(const Rule& rule, const Target& target) {
  const Expectation* expected = target.version ? detail_for(rule, target.project, *target.version) : nullptr;
  switch (rule.harm) {
    case Harm::wrong: return "other numbers, and no message";
    case Harm::ignored: return fmt::format("the right numbers, {} without its effect", print(rule.loses));
    case Harm::fails: {
      std::string text = "fails";
      if (expected != nullptr && expected->phase) text += " " + while_phase(*expected->phase);
      if (expected != nullptr && !expected->message.empty()) text += fmt::format(", \"{} ...\"", expected->message);
      return text;
    }
    case Harm::hangs:
      if (expected == nullptr) return "hangs";
      return fmt::format("hangs in {} on {}", expected->operation, expected->group);
    case Harm::slow:
    case Harm::memory: {
      std::string text = rule.harm == Harm::slow ? "the right numbers, slower" : "the right numbers, more memory";
      if (expected != nullptr && expected->move != Move::none)
        text += fmt::format(": {} {}", expected->move == Move::same ? "the same" : name_of(expected->move), expected->counter);
      return text;
    }
  }
  assert(false && "a harm is one of six");
  return "";
}

Finding describe(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = judge.severity(rule);
  finding.grade = judge.grade(rule);
  for (const std::size_t index : firing.items) finding.parties.push_back({index, print(stack.items[index])});
  finding.why = reason_of(rule);
  finding.citation = rule.citations.front();
  finding.smallest = rule.witness.bad;
  finding.shows = shows(rule, judge.target());
  if (rule.kind == RuleKind::order || rule.kind == RuleKind::clash)
    describe_pair(rule, firing, stack, finding);
  else
    describe_single(rule, firing, stack, judge, finding);
  return finding;
}

}  // namespace ordercheck
