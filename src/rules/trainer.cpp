#include "rules/trainer.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "rules/cure.h"
#include "rules/finding_text.h"
#include "rules/match.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// The item that the rule page's repair adds to the stack; "" if it adds none.
std::string needed(const Rule& rule, const Firing& firing, const Stack& trained, const Judge& judge) {
  for (const Stack& cured : cures_by_page(rule, judge.witness_parts(rule), firing, trained))
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
  for (const std::size_t page : judge.fired(match)) {
    const Rule& rule = judge.rules()[page];
    if (!judge.stands(rule)) continue;
    for (const Firing& firing : match.firings(page)) {
      // Only firings that involve the added optimizer, the last item.
      if (!contains(firing, stack.items.size())) continue;
      advice.push_back({.rule = rule.id, .shows = shows(rule, judge.target()), .needs = needed(rule, firing, trained, judge)});
      break;
    }
  }
  return advice;
}

namespace {

// Other projects whose rules name the transform, each with its number of findings for the stack.
std::vector<FoundElsewhere> elsewhere(const std::string& transform, const Stack& stack, const Judge& judge) {
  std::set<std::string> projects;
  for (const Rule& rule : judge.rules())
    if (names(rule, transform))
      for (const Holds& entry : rule.holds)
        if (entry.project != "math" && entry.project != judge.target().project) projects.insert(entry.project);
  std::vector<FoundElsewhere> found;
  for (const std::string& project : projects) {
    const Judge* there = judge.elsewhere(project);
    if (there == nullptr || !there->knows(transform)) continue;
    Counts counts;
    for (const Fired& fired : fired_on(stack, *there)) ++(fired.severity == Severity::error ? counts.errors : counts.advice);
    found.push_back({.target = there->target(), .counts = counts});
  }
  return found;
}

}  // namespace

std::vector<Unknown> unknown_in(const Stack& stack, const Judge& judge) {
  std::vector<Unknown> unknown;
  for (const Item& item : stack.items) {
    const bool told = std::ranges::find(unknown, item.name, &Unknown::transform) != unknown.end();
    if (!told && !judge.knows(item.name))
      unknown.push_back({.transform = item.name, .elsewhere = elsewhere(item.name, stack, judge)});
  }
  return unknown;
}

}  // namespace ordercheck
