#include "check/unknown.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"

namespace ordercheck {
namespace {

// Projects whose pages name the transform, each with what they find in the stack.
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
