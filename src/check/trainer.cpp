#include "check/trainer.h"

#include <algorithm>

#include "base/text.h"
#include "check/cure.h"
#include "check/describe.h"
#include "rule/match.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// What the page's own cure puts in the place of an item; "" where it does something else.
std::string needed(const Rule& rule, const Firing& firing, const Stack& trained, const Judge& judge) {
  for (const Stack& cured : cures_by_page(rule, judge.witness_parts(rule), firing.items, trained))
    for (const Item& item : cured.items)
      if (!contains(trained.items, item)) return print(item);
  return "";
}

}  // namespace

std::vector<TrainerAdvice> trainer_advice(const Stack& stack, const Judge& judge) {
  std::vector<TrainerAdvice> advice;
  if (names_trainer(stack)) return advice;
  const Stack trained = with_clipping(stack, kUsualThreshold);
  StackMatch match = judge.match(trained);
  for (const std::size_t page : places_in(judge.fired(match))) {
    const Rule& rule = judge.rules()[page];
    if (!judge.stands(rule)) continue;
    for (const Firing& firing : match.firings(page)) {
      if (!contains(firing.items, stack.items.size())) continue;
      advice.push_back({.rule = rule.id, .shows = shows(rule, judge.target()), .needs = needed(rule, firing, trained, judge)});
      break;
    }
  }
  return advice;
}

}  // namespace ordercheck
