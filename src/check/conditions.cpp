#include "check/conditions.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "rule/when.h"
#include "stack/transforms.h"

namespace ordercheck {
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
  const TransformInfo& info = *find_transform(pattern.name);  // a pattern that was parsed has one
  for (const Option& without : pattern.without) {
    const std::string written = without.value.empty() ? without.name : fmt::format("{}={}", without.name, without.value);
    const std::string& absent = find_option(info, without.name)->absent;
    text += absent.empty() ? fmt::format(" without :{}", written) : fmt::format(" {} (without :{})", absent, written);
  }
  return text;
}

// "tp > 1", where one of the items says so by its degrees or by being there.
bool is_said_by(const Condition& condition, const ConditionNode& comparison, const std::vector<Item>& items) {
  if (comparison.kind != ConditionNode::greater || condition.left(comparison).kind != ConditionNode::name) return false;
  const std::string& name = condition.left(comparison).text;
  const ConditionNode& bound = condition.right(comparison);
  if (bound.kind != ConditionNode::number || bound.value > 1) return false;
  return std::ranges::any_of(
      items, [&](const Item& item) { return name == item.name || (bound.value == 1 && contains(info_of(item).axes, name)); });
}

// What pages compare again and again, as people say it.
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
