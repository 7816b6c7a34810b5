#include "rules/finding_text.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "rules/conditions.h"
#include "rules/pins.h"
#include "rules/run_support.h"
#include "rules/target_runs.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

constexpr const char* kSilentlyWrong = "silently wrong: other numbers, no message";

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

std::string fails_as(const Expectation* expected) {
  std::string text = "fails";
  if (expected != nullptr && expected->phase) text += " " + while_phase(*expected->phase);
  if (expected != nullptr && !expected->message.empty()) text += fmt::format(", \"{} ...\"", expected->message);
  return text;
}

std::string shows(const Expectation& pin) {
  switch (pin.verdict) {
    case Verdict::fails: return fails_as(&pin);
    case Verdict::differs: return kSilentlyWrong;
    case Verdict::equal:
    case Verdict::close: return "the right numbers";
    default: return name_of(pin.verdict);
  }
}

// The page's [[expect]] entry for exactly the fired items and the optimizer, apart from degrees, if it is an exception from
// the page's harm; else null. A clash can raise in one order and be silent in the other.
const Expectation* departure_of(const Rule& rule, const Firing& firing, const Stack& stack, const Target& target) {
  if (!target.version) return nullptr;
  Stack parties;
  for (std::size_t i = 0; i < stack.items.size(); ++i)
    if (std::ranges::find(firing, i) != firing.end() || stack.items[i].name == default_trainer().name)
      parties.items.push_back(stack.items[i]);
  parties = with_trainer(parties);
  const Expectation* same_items = nullptr;
  for (const Expectation& pin : rule.expectations) {
    if (pin.engine != target.project || pin.version != *target.version || !pin.stack || !departs(rule, pin)) continue;
    const Stack trained = with_trainer(*pin.stack);
    if (trained == parties) return &pin;
    // A rule about sizes applies to these degrees only.
    if (rule.kind != RuleKind::fits && without_degrees(trained) == without_degrees(parties)) same_items = &pin;
  }
  return same_items;
}

std::string where(const Rule& rule, const std::vector<Item>& fired) {
  const std::string condition = condition_in_words(rule, fired);
  return condition.empty() ? "" : ", where " + condition;
}

// Sets the finding's headline and requirement for two items, in the words of the rule's patterns; two items of one name as
// written.
void describe_pair(const Rule& rule, const Item& first, const Item* between, const Item& second, Finding& finding) {
  const bool alike = first.name == second.name;
  const bool as_written = matches(rule.one, first) && matches(rule.other, second);
  const std::string a = alike ? print(first) : in_words(as_written ? rule.one : rule.other, first);
  const std::string b = alike ? print(second) : in_words(as_written ? rule.other : rule.one, second);
  if (rule.kind == RuleKind::order) {
    finding.headline = fmt::format("{} is applied before {}{}", a, b,
                                   between == nullptr ? "" : fmt::format(", with {} between", between->name));
    finding.instead =
        alike ? fmt::format("{} goes before {}", b, a) : fmt::format("{} goes before {}", second.name, first.name);
  } else {
    finding.headline = fmt::format("{} and {} are both applied", a, b);
    finding.instead = "the two do not go together";
  }
  finding.headline += where(rule, {first, second});
}

// Describes the items that match the rule's second pattern.
std::string partner_in_words(const Rule& rule, const Stack& stack) {
  for (const Item& item : stack.items)
    if (matches(rule.other, item)) return in_words(rule.other, item);
  return any_in_words(rule.other);
}

void describe_single(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge, Finding& finding) {
  std::vector<Item> fired;
  for (const std::size_t index : firing) fired.push_back(stack.items[index]);
  if (rule.kind == RuleKind::needs) {
    finding.headline = fmt::format("{} is applied without {}{}", in_words(rule.one, fired.front()), any_in_words(rule.other),
                                   where(rule, fired));
    finding.instead = fmt::format("{} needs {}", fired.front().name, any_in_words(rule.other));
    return;
  }
  if (rule.kind == RuleKind::effect) {
    const std::string beside = rule.other.any_of.empty() ? "" : " beside " + partner_in_words(rule, stack);
    const std::string item = print(fired.front());
    if (rule.harm != Harm::ignored) {
      finding.headline = fmt::format("{} is accepted{}", in_words(rule.one, fired.front()), beside) + where(rule, fired);
      finding.instead = fmt::format("{} is not right here", item);
      return;
    }
    finding.headline = fmt::format("{} is accepted and {}{}", in_words(rule.one, fired.front()),
                                   rule.loses_part ? "has only a part of its effect" : "without effect", beside);
    finding.instead =
        rule.loses_part ? fmt::format("{} does only a part of its work here", item) : fmt::format("{} does nothing here", item);
    return;
  }
  assert(rule.when && "a fits page has a condition");
  finding.headline =
      fmt::format("{} does not fit: {}", fired.empty() ? "the mesh" : print(fired.front()), condition_in_words(rule, fired));
  finding.instead = explain(*rule.when, condition_values(stack, judge.job()));
}

// The verdict that the rule predicts for its bad example stack, and the phase if it fails.
Expectation said(const Rule& rule, const Target& target, const Expectation* pin) {
  if (pin != nullptr) return *pin;
  if (!target.version) return {.verdict = verdict_of(rule.harm)};
  const Expectation* instead = departure_for(rule, target.project, *target.version, rule.witness.bad);
  if (instead != nullptr && instead->verdict == Verdict::fails) return *instead;
  const Expectation* detail = detail_for(rule, target.project, *target.version);
  return detail != nullptr ? *detail : Expectation{.verdict = verdict_of(rule.harm)};
}

// Whether the rule expects a full loss of effect and the run shows a partial one, or the reverse.
bool loses_otherwise(const Rule& rule, const Observation& seen) {
  if (rule.loses.any_of.empty() || seen.verdict != Verdict::ignored) return false;
  const std::vector<Effect> lost = lost_effects(seen.effects);
  return !lost.empty() && lost.front().partly != rule.loses_part;
}

// The committed run of exactly the rule's stack, if it went wrong in another way than the rule says; else null.
const Observation* harmed_otherwise(const Rule& rule, const Stack& stack, const Expectation& said, const Judge& judge) {
  const Case wanted = case_of(stack, rule.witness, judge.target().project);
  for (const std::size_t place : judge.runs().of_shape(without_degrees(stack))) {
    const TargetRun& there = judge.runs().runs()[place];
    if (there.ran != wanted || !is_harm(there.seen->verdict)) continue;
    const bool fails_alike = said.verdict != Verdict::fails || !said.phase || said.phase == there.seen->phase;
    if (there.seen->verdict != said.verdict || !fails_alike || loses_otherwise(rule, *there.seen)) return there.seen;
  }
  return nullptr;
}

std::string with_loss(const std::string& transform, bool partly) {
  return fmt::format("the right numbers, but {} has {}", transform, partly ? "only a part of its effect" : "no effect");
}

std::string shows(const Observation& seen) {
  if (seen.verdict == Verdict::differs) return kSilentlyWrong;
  if (const std::vector<Effect> lost = lost_effects(seen.effects); seen.verdict == Verdict::ignored && !lost.empty())
    return with_loss(lost.front().transform, lost.front().partly);
  if (seen.verdict != Verdict::fails) return name_of(seen.verdict);
  return "fails" + (seen.phase ? " " + while_phase(*seen.phase) : "") +
         fmt::format(": {}", one_line(displayable(seen.message)));
}

}  // namespace

std::string shows(const Rule& rule, const Target& target) {
  const Expectation* expected = target.version ? detail_for(rule, target.project, *target.version) : nullptr;
  const Expectation* instead =
      target.version ? departure_for(rule, target.project, *target.version, rule.witness.bad) : nullptr;
  if (instead != nullptr && instead->verdict == Verdict::fails) return fails_as(instead);
  switch (rule.harm) {
    case Harm::wrong: return kSilentlyWrong;
    case Harm::ignored: {
      const auto loses = [&](const Item& item) { return matches(rule.loses, item); };
      const auto loser = std::ranges::find_if(rule.witness.bad.items, loses);
      return with_loss(loser == rule.witness.bad.items.end() ? print(rule.loses) : loser->name, rule.loses_part);
    }
    case Harm::fails: return fails_as(expected);
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

Verdict shown_verdict(const Rule& rule, const Firing& firing, const Stack& stack, const Target& target) {
  const Expectation* pin = departure_of(rule, firing, stack, target);
  return pin == nullptr ? verdict_of(rule.harm) : pin->verdict;
}

Finding describe(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = judge.severity(rule);
  finding.grade = judge.grade(rule);
  if (rule.basis != Basis::fundamental && !holds_for(rule, judge.target()))
    for (const Holds& entry : rule.holds) finding.about += (finding.about.empty() ? "" : ", ") + print(entry);
  for (const std::size_t index : firing) finding.parties.push_back({index, print(stack.items[index])});
  finding.why = reason_of(rule);
  finding.citation = rule.citations.front();
  finding.smallest = rule.witness.bad;
  finding.shows = shows(rule, judge.target());
  // The compiler's generated code can hide effects from the counters, so use the pin for the stack without it.
  const Expectation* pin =
      departure_of(rule, firing, names_usual_backend(stack) ? without_backend(stack) : stack, judge.target());
  if (pin != nullptr) {
    finding.smallest = *pin->stack;
    finding.shows = shows(*pin);
  }
  if (finding.about.empty()) {
    const Observation* seen = harmed_otherwise(rule, finding.smallest, said(rule, judge.target(), pin), judge);
    // If several PyTorch releases disagree, use the run that graded the rule, if it showed the rule's harm.
    const Observation* graded = find_run(judge.observations(), rule.witness.bad, rule.witness, finding.grade.engine,
                                         finding.grade.version, finding.grade.on);
    if (pin == nullptr && graded != nullptr && graded->verdict == verdict_of(rule.harm) && graded != seen &&
        differs_between_platforms(*graded, judge))
      seen = graded;
    if (seen != nullptr) {
      finding.shows = shows(*seen) + (seen == graded && !seen->on.empty() ? ", on " + seen->on : "");
      finding.shows_run = true;
    }
  }
  if (rule.kind == RuleKind::order || rule.kind == RuleKind::clash)
    describe_pair(rule, stack.items[firing.front()], firing.size() == 3 ? &stack.items[firing.at(1)] : nullptr,
                  stack.items[firing.back()], finding);
  else
    describe_single(rule, firing, stack, judge, finding);
  return finding;
}

namespace {

std::string scope_in_words(Scope scope) {
  switch (scope) {
    case Scope::model: return " of the whole model";
    case Scope::block: return " of blocks";
    case Scope::experts: return " of experts";
    case Scope::attention: return " of attention";
  }
  assert(false && "a scope is one of four");
  return "";
}

std::string in_words(const ItemPattern& pattern) {
  std::string text = pattern.name;
  if (!pattern.mode.empty()) text += "=" + pattern.mode;
  for (const Option& option : pattern.options)
    text += option.value.empty() ? ":" + option.name : fmt::format(":{}={}", option.name, option.value);
  if (pattern.scope) text += scope_in_words(*pattern.scope);
  if (!pattern.other_than.empty()) text += fmt::format(" (other than ={})", pattern.other_than);
  const TransformInfo& info = *find_transform(pattern.name);  // parsing has checked the name
  for (const Option& without : pattern.without) {
    const std::string written = without.value.empty() ? without.name : fmt::format("{}={}", without.name, without.value);
    const std::string& absent = find_option(info, without.name)->absent;
    text += absent.empty() ? fmt::format(" without :{}", written) : fmt::format(" {} (without :{})", absent, written);
  }
  return text;
}

// Whether one of the items makes a comparison such as "tp > 1" obvious, by its degree or by being present.
bool is_said_by(const Condition& condition, const ConditionNode& comparison, const std::vector<Item>& items) {
  if (comparison.kind != ConditionNode::greater || condition.left(comparison).kind != ConditionNode::name) return false;
  const std::string& name = condition.left(comparison).text;
  const ConditionNode& bound = condition.right(comparison);
  if (bound.kind != ConditionNode::number || bound.value > 1) return false;
  return std::ranges::any_of(
      items, [&](const Item& item) { return name == item.name || (bound.value == 1 && contains(info_of(item).axes, name)); });
}

// Maps conditions that many pages use to phrases.
const std::map<std::string, std::string>& phrases() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> made{
        {"clip_alone > 0", "clip_grad_norm_ clips"},
        {"world > ranks", "the mesh takes more ranks than there are"},
        {"dropout > 0", "the model has dropout"},
        {"microbatches > 1", "a step has several microbatches"},
        {"tied == 1", "the output has the weight of the embedding"},
        {"frozen_embedding == 1", "the embedding is frozen"},
        {"frozen_norms == 1", "a norm is frozen"},
        {"reused_blocks == 1", "a block is called more than once in a forward"},
        {"learned_positions == 0", "no positions are learned"},
        {"expert_capacity == 1", "experts take so many tokens of a call and drop the others"},
        {"microbatches != accumulation", "a step is cut into other microbatches than one without a pipeline is"}};
    for (const char* name : {"ac", "sac", "compile"}) {
      made[fmt::format("{} > 0", name)] = fmt::format("{} is applied too", name);
      made[fmt::format("{} == 0", name)] = fmt::format("{} is not applied", name);
    }
    for (const auto& [name, what] :
         {std::pair("dp", "data parallelism"), std::pair("dp_shard", "sharded data parallelism"),
          std::pair("dp_replicate", "replicated data parallelism"), std::pair("pp", "pipeline parallelism"),
          std::pair("tp", "tensor parallelism"), std::pair("cp", "context parallelism"), std::pair("ep", "expert parallelism"),
          std::pair("etp", "expert-tensor parallelism")}) {
      made[fmt::format("{} > 1", name)] = fmt::format("there is {}", what);
      made[fmt::format("{} == 1", name)] = fmt::format("there is no {}", what);
    }
    return made;
  }();
  return all;
}

std::string name_in_words(const std::string& name) {
  if (name == "world") return "what the mesh takes";
  return name == "ranks" ? "the number of ranks" : name;
}

std::string comparison_in_words(const Condition& condition, const ConditionNode& node) {
  const auto written = [&](const ConditionNode& part) { return print(condition, part); };
  const bool is_number = node.kind >= ConditionNode::equal && condition.right(node).kind == ConditionNode::number;
  const long long bound = is_number ? condition.right(node).value : -1;
  if (const ConditionNode& left = condition.left(node); bound == 0 && left.kind == ConditionNode::remainder) {
    const std::string dividend = name_in_words(written(condition.left(left)));
    const std::string divisor = name_in_words(written(condition.right(left)));
    if (node.kind == ConditionNode::unequal) return fmt::format("{} is no multiple of {}", dividend, divisor);
    if (node.kind == ConditionNode::equal) return fmt::format("{} is a multiple of {}", dividend, divisor);
  }
  const std::string text = written(node);
  const auto known = phrases().find(text);
  return known == phrases().end() ? text : known->second;
}

}  // namespace

std::string in_words(const Pattern& pattern, const Item& item) {
  const auto meant = std::ranges::find_if(pattern.any_of, [&](const ItemPattern& one) { return matches(one, item); });
  assert(meant != pattern.any_of.end() && "a page fires on what its pattern matches");
  return in_words(*meant);
}

std::string any_in_words(const Pattern& pattern) {
  std::vector<std::string> words;
  for (const ItemPattern& one : pattern.any_of) words.push_back(in_words(one));
  if (words.size() < 2) return join(words, "");
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", join(words, ", "), last);
}

std::string condition_in_words(const Rule& rule, const std::vector<Item>& fired) {
  if (!rule.when) return "";
  const Condition& condition = *rule.when;
  std::vector<std::string> all;
  for (const ConditionNode* conjunct : parts_of(condition, condition.root(), ConditionNode::both)) {
    const auto any = parts_of(condition, *conjunct, ConditionNode::either);
    if (std::ranges::any_of(any, [&](const ConditionNode* one) { return is_said_by(condition, *one, fired); })) continue;
    std::vector<std::string> words;
    for (const ConditionNode* one : any) words.push_back(comparison_in_words(condition, *one));
    all.push_back(join(words, " or "));
  }
  return join(all, " and ");
}

}  // namespace ordercheck
