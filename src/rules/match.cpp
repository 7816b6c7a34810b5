#include "rules/match.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "rules/conditions.h"
#include "rules/job.h"

namespace ordercheck {
namespace {

// Calls `ask` with a StackMatch for this rule alone.
template <class Ask>
auto of_rule(const Rule& rule, const Stack& stack, const Job& job, Ask ask) {
  const Catalogue alone(std::span(&rule, 1));
  const ConditionValues values = values_of(job);
  StackMatch match(alone, stack, values);
  return ask(match);
}

}  // namespace

Job job_of(const Witness& witness) {
  Job job(witness.ranks, sizes_of_model(witness.model));
  if (witness.accumulation) job.sizes["microbatches"] = job.sizes["accumulation"] = *witness.accumulation;
  return job;
}

std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.firings(0); });
}

std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.demands(0); });
}

std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.commuting_pairs(0); });
}

StackMatch::StackMatch(const Catalogue& catalogue, const Stack& stack, const ConditionValues& job, MissingDegrees missing)
    : catalogue_(catalogue), job_(job), missing_(missing) {
  for (const Item& item : stack.items) {
    const ItemKind& kind = catalogue.kind_of(item);
    items_.push_back({.kind = &kind, .parts = kind.parts.data(), .degrees = item.degrees});
  }
}

bool StackMatch::plays(std::size_t page, std::size_t one, std::size_t other) const {
  return parts(page, one).one && parts(page, other).other &&
         related(items_[one].kind->scope, items_[other].kind->scope, rule(page).scopes);
}

bool StackMatch::has_parts(std::size_t page) const {
  bool one = false, other = false;
  for (const Placed& item : items_) {
    one |= item.parts[page].one;
    other |= item.parts[page].other;
  }
  if (!one) return rule(page).one.any_of.empty();
  const RuleKind kind = rule(page).kind;
  return other || !(kind == RuleKind::order || kind == RuleKind::clash || kind == RuleKind::commutes);
}

bool StackMatch::has_partner(std::size_t page, std::size_t item) const {
  for (std::size_t other = 0; other < size(); ++other)
    if (other != item && plays(page, item, other)) return true;
  return false;
}

// Whether the stack has an item that matches the rule's `between` pattern, so that some order puts it between the two.
bool StackMatch::could_have_between(std::size_t page, std::size_t one, std::size_t other) const {
  if (rule(page).between.any_of.empty()) return true;
  for (std::size_t item = 0; item < size(); ++item)
    if (item != one && item != other && parts(page, item).between) return true;
  return false;
}

// Calls `each` with every pair of items, in stack order, of which one matches the rule's first pattern and the other its
// second.
template <class Each>
void StackMatch::each_pair(std::size_t page, Each each) const {
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = i + 1; j < size(); ++j)
      if (plays(page, i, j) || plays(page, j, i)) each(i, j);
}

// Calls `each` with the items of every firing, ignoring the page's condition.
template <class Each>
void StackMatch::each_firing(std::size_t page, Each each) const {
  using Items = std::initializer_list<std::size_t>;
  const Rule& rule = this->rule(page);
  const auto is_silenced = [&](std::size_t before) {
    for (std::size_t item = 0; item < before; ++item)
      if (parts(page, item).unless) return true;
    return false;
  };
  if (rule.kind == RuleKind::commutes) return;
  if (rule.kind == RuleKind::clash)
    return each_pair(page, [&](std::size_t i, std::size_t j) {
      if (!is_silenced(j)) each(Items{i, j});
    });
  if (rule.kind != RuleKind::order && rule.one.any_of.empty()) return each(Items{});
  for (std::size_t i = 0; i < size(); ++i) {
    if (!parts(page, i).one) continue;
    if (rule.kind != RuleKind::order) {
      const bool looks_for_a_partner =
          rule.kind == RuleKind::needs || (rule.kind == RuleKind::effect && !rule.other.any_of.empty());
      if (!looks_for_a_partner || has_partner(page, i) == (rule.kind == RuleKind::effect)) each(Items{i});
      continue;
    }
    for (std::size_t j = i + 1; j < size(); ++j) {
      if (!plays(page, i, j) || is_silenced(j)) continue;
      if (rule.between.any_of.empty()) {
        each(Items{i, j});
        continue;
      }
      // One firing per pair, however many items are between.
      for (std::size_t k = i + 1; k < j; ++k)
        if (parts(page, k).between) {
          each(Items{i, k, j});
          break;
        }
    }
  }
}

bool StackMatch::fires_if_met(std::size_t page) const {
  // A cheap check first: most pages match no item.
  if (!has_parts(page)) return false;
  bool fires = false;
  each_firing(page, [&](auto) { fires = true; });
  return fires;
}

const ConditionValues& StackMatch::values() {
  if (!values_) {
    values_.emplace(job_);
    for (const Placed& item : items_) values_->add(item.kind->share, item.degrees);
    values_->finish();
    if (missing_ == MissingDegrees::as_run) values_->take_missing_degrees_as_run();
  }
  return values_->values();
}

bool StackMatch::is_met(std::size_t page) { return !rule(page).when || ordercheck::is_met(*rule(page).when, values()); }

const PagePlaces& StackMatch::fired() {
  if (fired_) return *fired_;
  fired_.emplace();
  for (std::size_t page = 0; page < catalogue_.pages().size(); ++page)
    if (fires_if_met(page) && is_met(page)) fired_->push_back(page);
  return *fired_;
}

PagePlaces StackMatch::commuting() {
  PagePlaces pages;
  for (std::size_t page = 0; page < catalogue_.pages().size(); ++page)
    if (rule(page).kind == RuleKind::commutes && !commuting_pairs(page).empty()) pages.push_back(page);
  return pages;
}

PagePlaces StackMatch::open() {
  PagePlaces pages;
  for (std::size_t page = 0; page < catalogue_.pages().size(); ++page)
    if (rule(page).when && fires_if_met(page) && truth_of(*rule(page).when, values()) == Truth::unknown) pages.push_back(page);
  return pages;
}

std::vector<std::string> StackMatch::unknown_sizes(std::size_t page) { return unknown_names(*rule(page).when, values()); }

std::vector<Firing> StackMatch::firings(std::size_t page) {
  std::vector<Firing> found;
  each_firing(page, [&](auto items) { found.push_back({items}); });
  if (!found.empty() && !is_met(page)) found.clear();
  return found;
}

std::vector<Demand> StackMatch::demands(std::size_t page) {
  std::vector<Demand> found;
  if (rule(page).kind != RuleKind::order || !has_parts(page)) return found;
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = 0; parts(page, i).one && j < size(); ++j)
      if (i != j && plays(page, i, j) && could_have_between(page, i, j)) found.push_back({.before = j, .after = i});
  if (!found.empty() && !is_met(page)) found.clear();
  return found;
}

std::vector<StackMatch::PageDemand> StackMatch::demands_that_can_be_kept() {
  std::vector<PageDemand> found;
  for (std::size_t page = 0; page < catalogue_.pages().size(); ++page)
    for (const Demand& demand : demands(page))
      if (!plays(page, demand.before, demand.after)) found.push_back({.page = page, .demand = demand});
  return found;
}

std::vector<CommutingPair> StackMatch::commuting_pairs(std::size_t page) {
  std::vector<CommutingPair> pairs;
  if (rule(page).kind == RuleKind::commutes && has_parts(page))
    each_pair(page, [&](std::size_t i, std::size_t j) { pairs.push_back({i, j}); });
  if (!pairs.empty() && !is_met(page)) pairs.clear();
  return pairs;
}

}  // namespace ordercheck
