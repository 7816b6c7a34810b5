#include "check/repair.h"

#include <algorithm>
#include <cassert>

#include "check/orders.h"
#include "rule/load.h"
#include "rule/pattern.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Each round mends at least one error, so a stack of ordinary size needs far fewer.
constexpr int kMostRounds = 16;

Stack without(const Stack& stack, std::size_t index) {
  Stack made = stack;
  made.items.erase(made.items.begin() + static_cast<std::ptrdiff_t>(index));
  return made;
}

Stack with(const Stack& stack, std::size_t place, const Item& item) {
  Stack made = stack;
  made.items.insert(made.items.begin() + static_cast<std::ptrdiff_t>(place), item);
  return made;
}

// Item `from` taken out and put back so that it ends up right before or after item `other`.
Stack moved(const Stack& stack, std::size_t from, std::size_t other, bool behind) {
  const Stack rest = without(stack, from);
  const std::size_t place = other - (from < other ? 1 : 0) + (behind ? 1 : 0);
  return with(rest, place, stack.items[from]);
}

std::size_t count_errors(const Stack& stack, const Judge& judge) {
  return static_cast<std::size_t>(
      std::ranges::count(findings_of(stack, judge), Severity::error, &Finding::severity));
}

// The item with other degrees, nearest first, smaller before larger.
std::vector<Item> other_degrees(const Item& item) {
  const TransformInfo* info = find_transform(item.name);
  assert(info != nullptr && "an item names a transform of the catalogue");
  const std::size_t places = info->value == ValueForm::degree_pair ? 2 : info->value == ValueForm::degree ? 1 : 0;
  std::vector<Item> made;
  for (int distance = 1; places > 0 && distance <= 16; ++distance)
    for (const int sign : {-1, 1})
      for (std::size_t place = 0; place < places; ++place) {
        Item changed = item;
        changed.degrees.resize(places, kMissingDegree);
        changed.degrees[place].value += sign * distance;
        if (changed.degrees[place].value >= 1) made.push_back(std::move(changed));
      }
  return made;
}

void add_moves(const Finding& finding, const Stack& stack, const Judge& judge, std::vector<Stack>& edits) {
  const std::size_t first = finding.parties.at(0).index, then = finding.parties.back().index;
  edits.push_back(moved(stack, then, first, false));
  edits.push_back(moved(stack, first, then, true));
  edits.push_back(recommended_order(stack, judge));
}

void add_resizings(const Finding& finding, const Stack& stack, std::vector<Stack>& edits) {
  for (std::size_t index = 0; index < stack.items.size(); ++index) {
    const bool party = std::ranges::find(finding.parties, index, &Party::index) != finding.parties.end();
    if (!party && !finding.parties.empty()) continue;
    for (Item& changed : other_degrees(stack.items[index])) {
      Stack made = stack;
      made.items[index] = std::move(changed);
      edits.push_back(std::move(made));
    }
  }
}

}  // namespace

std::vector<std::vector<Stack>> edits_against(const Finding& finding, const Stack& stack, const Judge& judge) {
  const Rule* rule = find_rule(judge.rules(), finding.rule);
  assert(rule != nullptr && "a finding of one of the judge's rules");
  std::vector<Stack> edits, removals;
  if (rule->kind == RuleKind::order) add_moves(finding, stack, judge, edits);
  if (rule->kind == RuleKind::fits) add_resizings(finding, stack, edits);
  if (rule->kind == RuleKind::needs)
    for (std::size_t place = stack.items.size() + 1; place-- > 0;)
      edits.push_back(with(stack, place, example_of(rule->other)));
  // The item written last is the one that came to what was there.
  for (auto party = finding.parties.rbegin(); party != finding.parties.rend(); ++party)
    removals.push_back(without(stack, party->index));
  return {std::move(edits), std::move(removals)};
}

std::optional<Stack> repaired(const Stack& stack, const Judge& judge) {
  std::size_t errors = count_errors(stack, judge);
  if (errors == 0) return std::nullopt;
  Stack best = stack;
  if (const Stack ordered = recommended_order(stack, judge); count_errors(ordered, judge) < errors) {
    best = ordered;
    errors = count_errors(best, judge);
  }
  for (int round = 0; errors > 0 && round < kMostRounds; ++round) {
    std::optional<Stack> better;
    std::size_t fewest = errors;
    for (const Finding& finding : findings_of(best, judge)) {
      if (finding.severity != Severity::error) continue;
      for (std::vector<Stack>& group : edits_against(finding, best, judge))
        for (Stack& edited : group)
          if (const std::size_t left = count_errors(edited, judge); left < fewest) {
            fewest = left;
            better = std::move(edited);
          }
    }
    if (!better) return std::nullopt;
    best = *better;
    errors = fewest;
  }
  return errors == 0 ? std::optional(best) : std::nullopt;
}

}  // namespace ordercheck
