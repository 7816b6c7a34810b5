#include "rules/cure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/text.h"
#include "rules/glossary.h"
#include "rules/item_matching.h"
#include "rules/match.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using Roles = std::map<std::size_t, std::size_t>;  // item index in the page's bad stack -> in the user's stack

// Sorts the two fired items of a clash rule, which are in stack order: the one that matches the rule's first pattern comes
// first.
std::vector<std::size_t> in_parts(const Rule& rule, std::vector<std::size_t> fired, const Stack& stack) {
  if (rule.kind != RuleKind::clash || fired.size() != 2) return fired;
  const Item &first = stack.items[fired[0]], &second = stack.items[fired[1]];
  const bool as_written = matches(rule.one, first) && matches(rule.other, second);
  if (!as_written) std::swap(fired[0], fired[1]);
  return fired;
}

// Maps the items of the page's bad stack to items of the user's stack: the items that the rule fires on to `fired`, others by
// name. Empty if the rule fires on another number of items in its own bad stack, because the repair would then edit the wrong
// items.
Roles roles_of(const Rule& rule, const WitnessParts& witness, const std::vector<std::size_t>& fired, const Stack& stack) {
  const Stack& bad = rule.witness.bad;
  if (!witness.fired || witness.fired->size() != fired.size()) return {};
  const std::vector<std::size_t> from = in_parts(rule, *witness.fired, bad), to = in_parts(rule, fired, stack);
  Roles roles;
  std::set<std::size_t> taken(to.begin(), to.end());
  for (std::size_t part = 0; part < from.size(); ++part) roles[from[part]] = to[part];
  for (std::size_t i = 0; i < bad.items.size(); ++i)
    for (std::size_t j = 0; j < stack.items.size() && !roles.contains(i); ++j)
      if (bad.items[i].name == stack.items[j].name && taken.insert(j).second) roles[i] = j;
  return roles;
}

void set_option(Item& item, const Option& option) {
  const TransformInfo& info = info_of(item);
  const std::string& group = find_option(info, option.name)->group;
  // An item has at most one option of a group.
  std::erase_if(item.options, [&](const Option& old) {
    return old.name == option.name || (!group.empty() && find_option(info, old.name)->group == group);
  });
  item.options.push_back(option);
}

// Edits `ours`, an item of the user's stack, as the page edits its bad item into its good one. False if `ours` cannot have
// that option, mode or scope.
bool take_over(const Item& bad, const Item& good, Item& ours) {
  const TransformInfo& info = info_of(ours);
  for (const Option& option : bad.options)
    if (!option_of(good, option.name)) std::erase_if(ours.options, [&](const Option& old) { return old.name == option.name; });
  for (const Option& option : good.options) {
    if (option_of(bad, option.name) == option.value) continue;
    if (find_option(info, option.name) == nullptr) return false;
    set_option(ours, option);
  }
  if (bad.scope != good.scope) ours.scope = good.scope;
  if (bad.mode != good.mode) ours.mode = good.mode;
  return true;
}

// Returns the page's new item with the degrees of the user's items that it replaces, and with those of their options that it
// supports.
Item in_place_of(const Item& good, const std::vector<Item>& replaced) {
  Item made = good;
  if (replaced.empty()) return made;
  const TransformInfo& info = info_of(good);
  // The number of ranks must stay the same. So each degree of the replaced items goes to the same mesh axis of the new item,
  // else to an unused one, else it multiplies one.
  std::vector<std::pair<std::string, Degree>> degrees;  // of the replaced items, by axis
  for (const Item& item : replaced) {
    const std::vector<std::string>& axes = info_of(item).axes;
    for (std::size_t axis = 0; axis < item.degrees.size() && axis < axes.size(); ++axis)
      degrees.emplace_back(axes[axis], item.degrees[axis]);
    for (const Option& option : item.options)
      if (find_option(info, option.name) != nullptr && !option_of(made, option.name)) made.options.push_back(option);
  }
  std::vector<bool> set(made.degrees.size());
  const auto give = [&](std::size_t axis, auto taken) {
    made.degrees[axis] = taken->second;
    set[axis] = true;
    degrees.erase(taken);
  };
  for (std::size_t axis = 0; axis < made.degrees.size(); ++axis) {
    const auto same = std::ranges::find(degrees, info.axes[axis], &std::pair<std::string, Degree>::first);
    if (same != degrees.end()) give(axis, same);
  }
  for (std::size_t axis = 0; axis < made.degrees.size() && !degrees.empty(); ++axis)
    if (!set[axis]) give(axis, degrees.begin());
  for (const auto& [axis, degree] : degrees) {
    const auto own = std::ranges::find(info.axes, axis);
    const auto place = static_cast<std::size_t>(own - info.axes.begin());
    if (!made.degrees.empty()) made.degrees[std::min(place, made.degrees.size() - 1)].value *= degree.value;
  }
  return made;
}

// A stack without the dropped items, and the old index of each remaining one.
struct Shortened {
  Stack stack;
  std::vector<std::size_t> from;
};

Shortened shortened(const Stack& stack, const std::set<std::size_t>& dropped) {
  Shortened made;
  for (std::size_t i = 0; i < stack.items.size(); ++i) {
    if (dropped.contains(i)) continue;
    made.stack.items.push_back(stack.items[i]);
    made.from.push_back(i);
  }
  return made;
}

// The positions in the user's stack where the page's new item may go. In place of a replaced item, last first; else next to
// the same neighbour as in the page's good stack; else anywhere, last first.
std::vector<std::size_t> places_for_new(std::size_t added, const Shortened& kept, const std::set<std::size_t>& dropped,
                                        const Partners& partners, const Roles& roles) {
  std::vector<std::size_t> places;
  for (auto gone = dropped.rbegin(); gone != dropped.rend(); ++gone)
    places.push_back(static_cast<std::size_t>(std::ranges::lower_bound(kept.from, *gone) - kept.from.begin()));
  if (!dropped.empty()) return places;
  for (const auto& [bad, ours] : roles) {
    if (partners[bad] && *partners[bad] + 1 == added) places.push_back(ours + 1);
    if (partners[bad] && *partners[bad] == added + 1) places.push_back(ours);
  }
  for (std::size_t place = kept.stack.items.size() + 1; place-- > 0;) places.push_back(place);
  return places;
}

// If the user's stack already has the transform that the page adds, multiplies that item's degree instead of adding a second
// one; else nullopt.
std::optional<Stack> made_larger(const Stack& stack, const Item& added) {
  const auto there = std::ranges::find(stack.items, added.name, &Item::name);
  if (added.degrees.empty() || there == stack.items.end() || there->scope != added.scope ||
      there->degrees.size() != added.degrees.size())
    return std::nullopt;
  Stack made = stack;
  Item& larger = made.items[static_cast<std::size_t>(there - stack.items.begin())];
  for (std::size_t axis = 0; axis < added.degrees.size(); ++axis) larger.degrees[axis].value *= added.degrees[axis].value;
  return made;
}

// For each pair of items that the page's good stack reorders: the user's stack with one moved before the other, and with the
// other moved after the one.
std::vector<Stack> reordered(const Stack& edited, const Stack& bad, const Partners& partners, const Roles& roles) {
  std::vector<Stack> made;
  for (std::size_t i = 0; i < bad.items.size(); ++i)
    for (std::size_t j = i + 1; j < bad.items.size(); ++j) {
      if (!partners[i] || !partners[j] || *partners[i] < *partners[j]) continue;
      const auto first = roles.find(i), then = roles.find(j);
      if (first == roles.end() || then == roles.end() || first->second > then->second) continue;
      made.push_back(moved(edited, then->second, first->second, false));
      made.push_back(moved(edited, first->second, then->second, true));
    }
  return made;
}

// Gives items of the user's stack the options of the page's good stack. For a user's item that violates the rule by another
// option than the page's bad stack (tp:sp=off, not tp:plan=blocks:rest=plain), removing the page's option would change
// nothing.
Stack as_good_writes_it(const Stack& stack, const Stack& good, const Partners& partners, const Roles& roles) {
  Stack made = stack;
  for (const auto& [bad, ours] : roles)
    if (partners[bad])
      for (const Option& option : good.items[*partners[bad]].options)
        if (find_option(info_of(made.items[ours]), option.name) != nullptr) set_option(made.items[ours], option);
  return made;
}

}  // namespace

Stack without(const Stack& stack, std::size_t item) {
  Stack made = stack;
  made.items.erase(made.items.begin() + static_cast<std::ptrdiff_t>(item));
  return made;
}

Stack with(const Stack& stack, std::size_t place, const Item& item) {
  Stack made = stack;
  made.items.insert(made.items.begin() + static_cast<std::ptrdiff_t>(place), item);
  return made;
}

Stack moved(const Stack& stack, std::size_t item, std::size_t other, bool behind) {
  // Removing an earlier item shifts the place of the other one.
  const std::size_t place = other - (item < other ? 1 : 0) + (behind ? 1 : 0);
  return with(without(stack, item), place, stack.items[item]);
}

std::vector<Stack> cures_by_page(const Rule& rule, const WitnessParts& witness, const std::vector<std::size_t>& fired,
                                 const Stack& stack) {
  const Stack &bad = rule.witness.bad, &good = rule.witness.good;
  const Roles roles = roles_of(rule, witness, fired, stack);
  const Partners& partners = witness.partners;
  Stack edited = stack;
  std::set<std::size_t> dropped;
  std::vector<Item> replaced;
  for (std::size_t i = 0; i < bad.items.size(); ++i) {
    const auto role = roles.find(i);
    if (partners[i] && bad.items[i] == good.items[*partners[i]]) continue;
    if (role == roles.end()) return {};  // the page edits an item that the user's stack lacks
    if (!partners[i]) {
      dropped.insert(role->second);
      replaced.push_back(stack.items[role->second]);
      // If the page changes a degree (tp=3 to tp=2), that repairs its own sizes, not the user's.
    } else if (bad.items[i].degrees != good.items[*partners[i]].degrees ||
               !take_over(bad.items[i], good.items[*partners[i]], edited.items[role->second])) {
      return {};
    }
  }
  const std::vector<std::size_t>& added = witness.added;
  if (dropped.empty() && added.empty()) {
    if (std::vector<Stack> other_orders = reordered(edited, bad, partners, roles); !other_orders.empty()) return other_orders;
    if (edited == stack) edited = as_good_writes_it(stack, good, partners, roles);
    return edited == stack ? std::vector<Stack>{} : std::vector{edited};
  }
  const Shortened kept = shortened(edited, dropped);
  if (added.empty()) return {kept.stack};
  if (added.size() > 1) return {};  // the page does not say in which order two new items go
  const Item made = in_place_of(good.items[added.front()], replaced);
  if (const std::optional<Stack> larger = made_larger(kept.stack, made)) return {*larger};
  std::vector<Stack> cures;
  for (const std::size_t place : places_for_new(added.front(), kept, dropped, partners, roles))
    cures.push_back(with(kept.stack, place, made));
  return cures;
}

namespace {

constexpr const char* kAbsent = "absent";

class Edits {
 public:
  void add(const std::string& group, const std::string& term, const std::string& transform, const std::string& value) {
    for (const FoundTerm& found : find_terms(glossary(), term)) {
      // find_terms() also matches other spellings.
      if (found.group->name != group || found.term->name != term) continue;
      for (const ProgramEdit& edit : found.term->edits)
        if (edit.of == transform && (edit.value == value || (edit.value.empty() && value != kAbsent)) &&
            !contains(sentences_, edit.sentence))
          sentences_.push_back(edit.sentence);
    }
  }

  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::vector<std::string> sentences_;
};

void add_edits_of(const Item& before, const Item& after, Edits& edits) {
  for (const Option& option : after.options)
    if (option_of(before, option.name) != option.value) edits.add("options", option.name, after.name, option.value);
  for (const Option& option : before.options)
    if (!option_of(after, option.name)) edits.add("options", option.name, after.name, kAbsent);
  if (scope_of(before) != scope_of(after)) edits.add("scopes", name_of(scope_of(after)), after.name, "");
}

}  // namespace

std::vector<std::string> program_edits(const Stack& left, const Stack& right) {
  const Partners partners = partners_of(left, right);
  Edits edits;
  for (std::size_t i = 0; i < left.items.size(); ++i)
    if (partners[i]) add_edits_of(left.items[i], right.items[*partners[i]], edits);
  for (const std::size_t added : alone_in(right, partners)) edits.add("transforms", right.items[added].name, "", "");
  return edits.sentences();
}

}  // namespace ordercheck
