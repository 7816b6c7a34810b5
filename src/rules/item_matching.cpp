#include "rules/item_matching.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/match.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using Alike = bool (*)(const Item&, const Item&);

struct Differences {
  std::vector<std::pair<const Item*, const Item*>> changed;  // (left item, right item)
  std::vector<Item> dropped, added;
  bool moved = false;
};

Differences differences(const Stack& left, const Stack& right) {
  const Partners partners = partners_of(left, right);
  Differences found;
  std::optional<std::size_t> furthest;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (!partners[i]) {
      found.dropped.push_back(left.items[i]);
      continue;
    }
    const Item& other = right.items[*partners[i]];
    if (left.items[i] != other) found.changed.emplace_back(&left.items[i], &other);
    if (furthest && *furthest > *partners[i]) found.moved = true;
    furthest = std::max(furthest.value_or(0), *partners[i]);
  }
  for (const std::size_t index : alone_in(right, partners)) found.added.push_back(right.items[index]);
  return found;
}

// Whether the item sizes a mesh axis that another one sizes too, so that one can replace the other.
bool shares_an_axis(const Item& item, const std::vector<Item>& others) {
  return std::ranges::any_of(others, [&](const Item& other) {
    return std::ranges::any_of(info_of(item).axes,
                               [&](const std::string& axis) { return contains(info_of(other).axes, axis); });
  });
}

// The left stack's items that the right one lacks: dropped, or replaced by an added one.
struct Gone {
  std::vector<std::string> dropped, replaced;
};

Gone split_of(const Differences& found) {
  const bool some_share =
      std::ranges::any_of(found.dropped, [&](const Item& gone) { return shares_an_axis(gone, found.added); });
  Gone split;
  for (const Item& gone : found.dropped) {
    // If dropped items share an axis with added ones, only those are replaced.
    const bool is_replaced = !found.added.empty() && (!some_share || shares_an_axis(gone, found.added));
    (is_replaced ? split.replaced : split.dropped).push_back(print(gone));
  }
  return split;
}

}  // namespace

Partners partners_of(const Stack& left, const Stack& right) {
  const auto same = [](const Item& a, const Item& b) { return a == b; };
  const auto same_name = [](const Item& a, const Item& b) { return a.name == b.name; };
  const auto same_scope = [](const Item& a, const Item& b) { return a.name == b.name && scope_of(a) == scope_of(b); };
  Partners partners(left.items.size());
  std::vector<bool> taken(right.items.size());
  for (const Alike& alike : {Alike(same), Alike(same_scope), Alike(same_name)})
    for (std::size_t i = 0; i < left.items.size(); ++i)
      for (std::size_t j = 0; j < right.items.size() && !partners[i]; ++j) {
        if (taken[j] || !alike(left.items[i], right.items[j])) continue;
        partners[i] = j;
        taken[j] = true;
      }
  return partners;
}

std::vector<std::size_t> alone_in(const Stack& right, const Partners& partners) {
  std::vector<std::size_t> alone;
  for (std::size_t j = 0; j < right.items.size(); ++j)
    if (!contains(partners, std::optional(j))) alone.push_back(j);
  return alone;
}

bool keeps_every_transform(const Stack& left, const Stack& right) {
  const Differences found = differences(left, right);
  return found.dropped.empty() && found.added.empty();
}

bool drops_a_transform(const Stack& left, const Stack& right) { return !split_of(differences(left, right)).dropped.empty(); }

std::string change_in_words(const Stack& left, const Stack& right) {
  const Differences found = differences(left, right);
  std::vector<std::string> parts, added;
  for (const auto& [before, after] : found.changed)
    parts.push_back(fmt::format("{} becomes {}", print(*before), print(*after)));
  const auto [dropped, replaced] = split_of(found);
  for (const Item& come : found.added) added.push_back(print(come));
  if (!replaced.empty())
    parts.push_back(fmt::format("{} replaces {}", join(added, " and "), join(replaced, " and ")));
  else if (!added.empty())
    parts.push_back("adds " + join(added, " and "));
  if (!dropped.empty()) parts.push_back("drops " + join(dropped, " and "));
  return join(parts, "; ");
}

std::size_t size_of_change(const Stack& left, const Stack& right) {
  const Differences found = differences(left, right);
  return found.changed.size() + found.dropped.size() + found.added.size() + (found.moved ? 1 : 0);
}

WitnessParts parts_of_witness(const Rule& rule) {
  const std::vector<Firing> firings = ordercheck::firings(rule, rule.witness.bad, job_of(rule.witness));
  WitnessParts parts;
  if (!firings.empty()) parts.fired = firings.front();
  parts.partners = partners_of(rule.witness.bad, rule.witness.good);
  parts.added = alone_in(rule.witness.good, parts.partners);
  return parts;
}

const WitnessParts& WitnessPartsOfPages::of(std::size_t page) const {
  const std::lock_guard lock(mutex_);
  if (!known_[page]) known_[page] = parts_of_witness(pages_[page]);
  return *known_[page];
}

}  // namespace ordercheck
