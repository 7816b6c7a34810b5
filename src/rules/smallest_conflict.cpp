#include "rules/smallest_conflict.h"

#include <algorithm>
#include <set>
#include <utility>

#include "rules/precedence.h"

namespace ordercheck {
namespace {

Stack part_of(const Stack& stack, const std::vector<std::size_t>& items) {
  Stack part;
  for (const std::size_t index : items) part.items.push_back(stack.items[index]);
  return part;
}

// The sorted ids of the rules with these indices.
std::vector<std::string> ids_of(const PagePlaces& pages, const Judge& judge) {
  std::vector<std::string> ids;
  for (const std::size_t page : pages) ids.push_back(judge.rules()[page].id);
  std::ranges::sort(ids);
  return ids;
}

// Advances to the next combination of indices below `from`, in lexicographic order; false after the last.
bool next_choice(std::vector<std::size_t>& choice, std::size_t from) {
  for (std::size_t i = choice.size(); i-- > 0;) {
    if (choice[i] + (choice.size() - i) >= from) continue;
    ++choice[i];
    for (std::size_t j = i + 1; j < choice.size(); ++j) choice[j] = choice[j - 1] + 1;
    return true;
  }
  return false;
}

std::optional<Conflict> contradiction(const Stack& stack, const Judge& judge) {
  const PrecedenceGraph graph = precedence_graph(stack, judge);
  if (graph.cycle.empty()) return std::nullopt;
  Conflict conflict;
  conflict.items = graph.cycle;
  conflict.no_order = true;
  std::ranges::sort(conflict.items);
  conflict.stack = part_of(stack, conflict.items);
  std::set<std::string> rules;
  const std::vector<std::size_t>& cycle = graph.cycle;
  for (std::size_t i = 0; i < cycle.size(); ++i)
    for (const PrecedenceEdge& edge : graph.edges)
      if (edge.is_error && edge.before == cycle[i] && edge.after == cycle[(i + 1) % cycle.size()])
        rules.insert(edge.rules.begin(), edge.rules.end());
  conflict.rules.assign(rules.begin(), rules.end());
  return conflict;
}

}  // namespace

std::optional<Conflict> smallest_conflict(const Stack& stack, const Judge& judge) {
  StackMatch of_stack = judge.match(stack);
  const PagePlaces whole = judge.errors(of_stack);
  if (whole.empty()) return std::nullopt;
  if (auto found = contradiction(stack, judge)) return found;
  for (std::size_t size = 0; size <= stack.items.size(); ++size) {
    std::vector<std::size_t> choice(size);
    for (std::size_t i = 0; i < size; ++i) choice[i] = i;
    do {
      const Stack part = part_of(stack, choice);
      // A part may lack what another item needs, so only errors of the whole stack count.
      StackMatch match = judge.match(part);
      PagePlaces shared = whole;
      std::erase_if(shared, [&](std::size_t page) { return match.firings(page).empty(); });
      if (std::vector<std::string> ids = ids_of(shared, judge); !ids.empty())
        return Conflict{.stack = part, .items = choice, .rules = std::move(ids)};
    } while (next_choice(choice, stack.items.size()));
  }
  return std::nullopt;
}

}  // namespace ordercheck
