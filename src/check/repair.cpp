#include "check/repair.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"
#include "check/cure.h"
#include "check/orders.h"
#include "check/partners.h"
#include "rule/load.h"
#include "rule/pattern.h"
#include "stack/mesh.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Each round mends at least one error, so a stack of ordinary size needs far fewer.
constexpr int kMostRounds = 16;
constexpr std::size_t kMostTries = 3;

std::size_t count_errors(const Stack& stack, const Judge& judge) {
  return static_cast<std::size_t>(std::ranges::count(findings_of(stack, judge), Severity::error, &Finding::severity));
}

// The item with other degrees, nearest first, smaller before larger.
std::vector<Item> other_degrees(const Item& item) {
  const ValueForm value = info_of(item).value;
  const std::size_t places = value == ValueForm::degree_pair ? 2 : value == ValueForm::degree ? 1 : 0;
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

// Either item may be the one that is moved: which of the two the user cares about is not known, so both are tried. The
// recommended order is tried last of equals: it changes most.
void add_moves(const Finding& finding, const Stack& stack, const Judge& judge, std::vector<Stack>& edits) {
  const std::size_t first = finding.parties.at(0).index, then = finding.parties.back().index;
  edits.push_back(moved(stack, then, first, false));
  edits.push_back(moved(stack, first, then, true));
  edits.push_back(recommended_order(stack, judge));
}

void add_resizings(const Finding& finding, const Stack& stack, std::vector<Stack>& edits) {
  for (std::size_t index = 0; index < stack.items.size(); ++index) {
    // A finding without parties is about the mesh as a whole, and then any item's degree may be the one to change.
    const bool party = std::ranges::find(finding.parties, index, &Party::index) != finding.parties.end();
    if (!party && !finding.parties.empty()) continue;
    for (Item& changed : other_degrees(stack.items[index])) {
      Stack made = stack;
      made.items[index] = std::move(changed);
      edits.push_back(std::move(made));
    }
  }
}

std::vector<std::size_t> items_of(const Finding& finding) {
  std::vector<std::size_t> items;
  for (const Party& party : finding.parties) items.push_back(party.index);
  return items;
}

bool only_drops(const Stack& from, const Stack& to) {
  const auto was_there = [&](const Item& item) { return contains(from.items, item); };
  return to.items.size() < from.items.size() && std::ranges::all_of(to.items, was_there);
}

// What an edit leaves to be mended, and how far it went; less is better.
struct Weight {
  std::size_t errors = 0, findings = 0, size = 0;
  friend auto operator<=>(const Weight&, const Weight&) = default;
};

struct Weighed {
  Stack stack;
  Weight weight;
  bool silenced = false;  // the rule of the finding
};

// What drops the trainer is trained by the default one, so that is what it is weighed with.
Weighed weighed(Stack edited, const Stack& from, const std::string& rule, const Judge& judge) {
  const std::vector<Finding> left = findings_of(names_trainer(from) ? with_trainer(edited) : edited, judge);
  const Weight weight{.errors = static_cast<std::size_t>(std::ranges::count(left, Severity::error, &Finding::severity)),
                      .findings = left.size(),
                      .size = size_of_change(from, edited)};
  return {
      .stack = std::move(edited), .weight = weight, .silenced = std::ranges::find(left, rule, &Finding::rule) == left.end()};
}

// The edited stack, or what mends the errors that it leaves; nothing where that brings the rule back or drops a
// transform.
std::optional<Stack> completed(const Weighed& edit, const Stack& from, const std::string& rule, const Judge& judge) {
  if (edit.weight.errors == 0) return edit.stack;
  std::optional<Stack> mended = repaired(edit.stack, judge);
  if (!mended || drops_a_transform(edit.stack, *mended) || !weighed(*mended, from, rule, judge).silenced) return std::nullopt;
  return mended;
}

}  // namespace

std::vector<std::vector<Stack>> edits_against(const Finding& finding, const Stack& stack, const Judge& judge) {
  const Rule* rule = find_rule(judge.rules(), finding.rule);
  assert(rule != nullptr && "a finding of one of the judge's rules");
  std::vector<Stack> cures, edits, removals;
  for (Stack& cure : cures_by_page(*rule, items_of(finding), stack))
    (only_drops(stack, cure) ? removals : cures).push_back(std::move(cure));
  if (rule->kind == RuleKind::order) add_moves(finding, stack, judge, edits);
  if (rule->kind == RuleKind::fits) add_resizings(finding, stack, edits);
  if (rule->kind == RuleKind::needs)
    for (std::size_t place = stack.items.size() + 1; place-- > 0;) edits.push_back(with(stack, place, example_of(rule->other)));
  // The item written last is the one that came to what was there.
  for (auto party = finding.parties.rbegin(); party != finding.parties.rend(); ++party)
    removals.push_back(without(stack, party->index));
  return {std::move(cures), std::move(edits), std::move(removals)};
}

std::vector<Stack> tries_against(const Finding& finding, const Stack& stack, const Judge& judge) {
  const RuleKind kind = find_rule(judge.rules(), finding.rule)->kind;
  const bool leaving_out_is_a_choice = finding.severity == Severity::error && kind != RuleKind::order && kind != RuleKind::fits;
  std::vector<Stack> tries;
  const std::vector<std::vector<Stack>> groups = edits_against(finding, stack, judge);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const bool leaves_out = group + 1 == groups.size();
    // Where a new item stands is no choice worth telling; which of two is moved, and to which size, is.
    const bool one_will_do = !leaves_out && kind != RuleKind::order && kind != RuleKind::fits;
    if (leaves_out && !tries.empty() && !leaving_out_is_a_choice) break;
    if (!leaves_out && one_will_do && !tries.empty()) continue;
    std::vector<Weighed> edits;
    for (const Stack& edited : groups[group])
      if (Weighed edit = weighed(edited, stack, finding.rule, judge); edit.silenced && !edited.items.empty())
        edits.push_back(std::move(edit));
    std::ranges::stable_sort(edits, {}, &Weighed::weight);
    for (const Weighed& edit : edits) {
      if (tries.size() == kMostTries) return tries;
      const bool as_good =
          edit.weight.errors == edits.front().weight.errors && edit.weight.findings == edits.front().weight.findings;
      if (!leaves_out && !as_good) break;
      const std::optional<Stack> made = completed(edit, stack, finding.rule, judge);
      if (!made || contains(tries, *made)) continue;
      tries.push_back(*made);
      if (one_will_do) break;
    }
  }
  return tries;
}

// Greedy: in each round the edit that leaves the fewest errors, then findings, then changes least. Where no single edit leaves
// fewer errors there is no repair: a search over two at once would find more of them, at the square of the cost.
std::optional<Stack> repaired(const Stack& stack, const Judge& judge) {
  std::size_t errors = count_errors(stack, judge);
  if (errors == 0) return std::nullopt;
  Stack best = stack;
  // First the order alone, all of it at once: moving items one by one may pass through orders that are worse.
  if (const Stack ordered = recommended_order(stack, judge); count_errors(ordered, judge) < errors) {
    best = ordered;
    errors = count_errors(best, judge);
  }
  for (int round = 0; errors > 0 && round < kMostRounds; ++round) {
    std::optional<Weighed> better;
    std::vector<std::vector<Stack>> groups(3);
    for (const Finding& finding : findings_of(best, judge)) {
      if (finding.severity != Severity::error) continue;
      std::vector<std::vector<Stack>> edits = edits_against(finding, best, judge);
      for (std::size_t group = 0; group < edits.size(); ++group)
        groups[group].insert(groups[group].end(), edits[group].begin(), edits[group].end());
    }
    // Group by group, and none after one that mends: removing an item would often weigh least, and is the last that anybody
    // wants to read.
    for (const std::vector<Stack>& group : groups) {
      for (const Stack& edited : group)
        if (Weighed edit = weighed(edited, best, "", judge);
            edit.weight.errors < errors && (!better || edit.weight < better->weight))
          better = std::move(edit);
      if (better) break;
    }
    if (!better) return std::nullopt;
    best = better->stack;
    errors = better->weight.errors;
  }
  return errors == 0 ? std::optional(best) : std::nullopt;
}

}  // namespace ordercheck
