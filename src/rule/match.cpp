#include "rule/match.h"

#include <algorithm>

#include "rule/models.h"

namespace ordercheck {
namespace {

// Which items of a stack play the first and the second part of a rule: asked once an item, not once a pair.
class Cast {
 public:
  Cast(const Rule& rule, const Stack& stack) : rule_(rule), stack_(stack) {
    one_ = players(rule.one);
    if (!one_.empty()) other_ = players(rule.other);
  }

  bool has_both() const { return !one_.empty() && !other_.empty(); }

  // Item `one` plays the rule's first part and `other` its second.
  bool play(std::size_t one, std::size_t other) const {
    return one_[one] && other_[other] && related(scope_of(stack_.items[one]), scope_of(stack_.items[other]), rule_.scopes);
  }

 private:
  // Empty where nobody does.
  std::vector<bool> players(const Pattern& pattern) const {
    std::vector<bool> playing;
    for (std::size_t i = 0; i < stack_.items.size(); ++i) {
      if (!matches(pattern, stack_.items[i])) continue;
      playing.resize(stack_.items.size());
      playing[i] = true;
    }
    return playing;
  }

  const Rule& rule_;
  const Stack& stack_;
  std::vector<bool> one_, other_;
};

// The first item of [begin, end) that matches.
std::optional<std::size_t> first_of(const Pattern& pattern, const Stack& stack, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k)
    if (matches(pattern, stack.items[k])) return k;
  return std::nullopt;
}

// Pairs in the order of the stack, in which the two play the parts either way round.
std::vector<CommutingPair> pairs_either_way(const Rule& rule, const Stack& stack) {
  std::vector<CommutingPair> pairs;
  const Cast cast(rule, stack);
  if (!cast.has_both()) return pairs;
  for (std::size_t i = 0; i < stack.items.size(); ++i)
    for (std::size_t j = i + 1; j < stack.items.size(); ++j)
      if (cast.play(i, j) || cast.play(j, i)) pairs.push_back({i, j});
  return pairs;
}

std::vector<Firing> clash_firings(const Rule& rule, const Stack& stack) {
  std::vector<Firing> found;
  for (const CommutingPair& pair : pairs_either_way(rule, stack))
    if (!first_of(rule.unless, stack, 0, pair.second)) found.push_back({{pair.first, pair.second}});
  return found;
}

std::vector<Firing> order_firings(const Rule& rule, const Stack& stack) {
  std::vector<Firing> found;
  const Cast cast(rule, stack);
  if (!cast.has_both()) return found;
  for (std::size_t i = 0; i < stack.items.size(); ++i)
    for (std::size_t j = i + 1; j < stack.items.size(); ++j) {
      if (!cast.play(i, j) || first_of(rule.unless, stack, 0, j)) continue;
      if (rule.between.any_of.empty())
        found.push_back({{i, j}});
      else if (const auto k = first_of(rule.between, stack, i + 1, j))
        found.push_back({{i, *k, j}});
    }
  return found;
}

// Whether some order of the items would have one between the two.
bool could_fire(const Rule& rule, const Stack& stack, std::size_t one, std::size_t other) {
  if (rule.between.any_of.empty()) return true;
  for (std::size_t k = 0; k < stack.items.size(); ++k)
    if (k != one && k != other && matches(rule.between, stack.items[k])) return true;
  return false;
}

// Does any other item play the second part to this one?
bool has_partner(const Rule& rule, const Stack& stack, std::size_t index) {
  const Cast cast(rule, stack);
  for (std::size_t j = 0; cast.has_both() && j < stack.items.size(); ++j)
    if (j != index && cast.play(index, j)) return true;
  return false;
}

std::vector<Firing> single_firings(const Rule& rule, const Stack& stack) {
  if (rule.one.any_of.empty()) return {Firing{}};  // a fits page about the mesh as a whole
  std::vector<Firing> found;
  for (std::size_t i = 0; i < stack.items.size(); ++i) {
    if (!matches(rule.one, stack.items[i])) continue;
    const bool wants_partner = rule.kind == RuleKind::effect && !rule.other.any_of.empty();
    const bool wants_none = rule.kind == RuleKind::needs;
    if (wants_partner && !has_partner(rule, stack, i)) continue;
    if (wants_none && has_partner(rule, stack, i)) continue;
    found.push_back({{i}});
  }
  return found;
}

// Whatever its condition says.
std::vector<Firing> firings_if_met(const Rule& rule, const Stack& stack) {
  switch (rule.kind) {
    case RuleKind::order: return order_firings(rule, stack);
    case RuleKind::clash: return clash_firings(rule, stack);
    case RuleKind::needs:
    case RuleKind::fits:
    case RuleKind::effect: return single_firings(rule, stack);
    case RuleKind::commutes: return {};
  }
  return {};
}

}  // namespace

Job job_of(const Witness& witness) {
  Job job(witness.ranks, sizes_of_model(witness.model));
  if (witness.accumulation) job.sizes["microbatches"] = job.sizes["accumulation"] = *witness.accumulation;
  return job;
}

bool Conditions::met(const Rule& rule) {
  if (!rule.when) return true;
  if (!values_) values_ = condition_values(stack_, job_);
  return is_met(*rule.when, *values_);
}

std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job) {
  Conditions conditions(stack, job);
  return firings(rule, stack, conditions);
}

std::vector<Firing> firings(const Rule& rule, const Stack& stack, Conditions& conditions) {
  std::vector<Firing> found = firings_if_met(rule, stack);
  if (found.empty() || !conditions.met(rule)) return {};
  return found;
}

std::vector<std::string> open_for(const Rule& rule, const Stack& stack, const Job& job) {
  if (!rule.when || firings_if_met(rule, stack).empty()) return {};
  const ConditionValues values = condition_values(stack, job);
  if (truth_of(*rule.when, values) != Truth::unknown) return {};
  return unknown_names(*rule.when, values);
}

std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job) {
  Conditions conditions(stack, job);
  return demands(rule, stack, conditions);
}

std::vector<Demand> demands(const Rule& rule, const Stack& stack, Conditions& conditions) {
  if (rule.kind != RuleKind::order) return {};
  std::vector<Demand> found;
  const Cast cast(rule, stack);
  if (!cast.has_both()) return found;
  for (std::size_t i = 0; i < stack.items.size(); ++i)
    for (std::size_t j = 0; j < stack.items.size(); ++j)
      if (i != j && cast.play(i, j) && could_fire(rule, stack, i, j)) found.push_back({.before = j, .after = i});
  if (found.empty() || !conditions.met(rule)) return {};
  return found;
}

std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job) {
  if (rule.kind != RuleKind::commutes) return {};
  std::vector<CommutingPair> found = pairs_either_way(rule, stack);
  if (found.empty() || !Conditions(stack, job).met(rule)) return {};
  return found;
}

}  // namespace ordercheck
