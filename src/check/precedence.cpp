#include "check/precedence.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "rule/stack_match.h"

namespace ordercheck {
namespace {

Strength strength_of(const Rule& rule, const Judge& judge) {
  if (judge.severity(rule) == Severity::error) return Strength::error;
  return judge.stands(rule) ? Strength::advice_that_holds : Strength::advice_about_others;
}

// A page that is silent about the target, or that a run there refutes, is no reason for an order.
bool is_a_reason(const Rule& rule, const Judge& judge) {
  const Grade& grade = judge.grade(rule);
  const bool is_over = grade.kind == GradeKind::refuted || grade.kind == GradeKind::stale;
  return !judge.is_silenced(rule) && !(is_over && !grade.engine.empty());
}

std::vector<Precedence> demanded(const Stack& stack, const Judge& judge) {
  std::vector<Precedence> all;
  StackMatch match = judge.match(stack);
  for (const auto& [page, demand] : match.demands_that_can_be_kept())
    if (is_a_reason(judge.rules()[page], judge))
      all.push_back(
          {.before = demand.before, .after = demand.after, .strength = strength_of(judge.rules()[page], judge), .page = page});
  std::ranges::sort(all, [&](const Precedence& a, const Precedence& b) {
    const auto key = [&](const Precedence& one) {
      return std::tuple(one.strength, std::string_view(judge.rules()[one.page].id), one.before, one.after);
    };
    return key(a) < key(b);
  });
  return all;
}

}  // namespace

Precedences::Precedences(const Stack& stack, const Judge& judge) : items_(stack.items.size()), reach_(items_ * items_, 0) {
  const std::vector<Precedence> all = demanded(stack, judge);
  for (const Precedence& one : all)
    if (one.strength == Strength::error) keep(one);
  for (std::size_t item = 0; item < items_; ++item) contradictory_ = contradictory_ || leads(item, item);
  if (contradictory_) return;
  for (const Precedence& one : all)
    if (one.strength != Strength::error && !leads(one.after, one.before)) keep(one);
}

// The reach stays closed: what leads to the one before leads to all that the one after leads to.
void Precedences::keep(const Precedence& one) {
  kept_.push_back(one);
  if (leads(one.before, one.after)) return;
  for (std::size_t from = 0; from < items_; ++from) {
    if (from != one.before && !leads(from, one.before)) continue;
    for (std::size_t to = 0; to < items_; ++to)
      if (to == one.after || leads(one.after, to)) reach_[from * items_ + to] = 1;
  }
}

std::vector<std::size_t> stable_order(std::size_t items, std::span<const Precedence> precedences) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(items, false);
  const auto waits = [&](std::size_t item) {
    return std::ranges::any_of(precedences, [&](const Precedence& one) { return one.after == item && !placed[one.before]; });
  };
  while (order.size() < items) {
    std::size_t next = 0;
    while (next < items && (placed[next] || waits(next))) ++next;
    assert(next < items && "only what contradicts itself nowhere has an order");
    placed[next] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace ordercheck
