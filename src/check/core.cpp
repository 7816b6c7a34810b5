#include "check/core.h"

#include <algorithm>
#include <set>

#include "check/precedence_graph.h"

namespace ordercheck {
namespace {

Stack part_of(const Stack& stack, const std::vector<std::size_t>& items) {
  Stack part;
  for (const std::size_t index : items) part.items.push_back(stack.items[index]);
  return part;
}

std::set<std::string> errors_of(const Stack& stack, const Judge& judge) {
  std::set<std::string> ids;
  for (const Fired& fired : fired_on(stack, judge))
    if (fired.severity == Severity::error) ids.insert(fired.rule->id);
  return ids;
}

// The next choice of as many places out of `from`, in lexicographic order; false after the last.
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
  const std::set<std::string> whole = errors_of(stack, judge);
  if (whole.empty()) return std::nullopt;
  if (auto found = contradiction(stack, judge)) return found;
  for (std::size_t size = 0; size <= stack.items.size(); ++size) {
    std::vector<std::size_t> choice(size);
    for (std::size_t i = 0; i < size; ++i) choice[i] = i;
    do {
      const Stack part = part_of(stack, choice);
      std::vector<std::string> shared;
      // A part may lack what another item needs: only errors of the whole count.
      for (const std::string& id : errors_of(part, judge))
        if (whole.contains(id)) shared.push_back(id);
      if (!shared.empty()) return Conflict{.stack = part, .items = choice, .rules = shared};
    } while (next_choice(choice, stack.items.size()));
  }
  return std::nullopt;
}

}  // namespace ordercheck
