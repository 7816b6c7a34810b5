#include "graph/change.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ordercheck::captured {
namespace {

// Identity of a graph node: half, operator, outputs (arguments if it has none), and an index among duplicates.
using Key = std::tuple<bool, std::string, std::vector<int>, std::string, int>;

std::vector<Key> keys_of(const std::vector<GraphNodeRecord>& nodes) {
  std::vector<Key> keys;
  std::map<Key, int> alike;
  for (const GraphNodeRecord& node : nodes) {
    Key key{node.backward, node.op, node.results, node.results.empty() ? node.arguments : "", 0};
    // Number equal nodes, so that each has its own key.
    std::get<4>(key) = alike[key]++;
    keys.push_back(std::move(key));
  }
  return keys;
}

// Indices of a longest ascending subsequence of distinct numbers, by patience sorting.
std::set<std::size_t> longest_ascending(const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> ends;                                    // last index of the best subsequence of each length
  std::vector<std::size_t> before(numbers.size(), numbers.size());  // predecessor of each index
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    const auto at = std::ranges::lower_bound(ends, numbers[place], {}, [&](std::size_t end) { return numbers[end]; });
    if (at != ends.begin()) before[place] = *std::prev(at);
    if (at == ends.end())
      ends.push_back(place);
    else
      *at = place;
  }
  std::set<std::size_t> kept;
  for (std::size_t place = ends.empty() ? numbers.size() : ends.back(); place < numbers.size(); place = before[place])
    kept.insert(place);
  return kept;
}

void add_half(const GraphRecord& before, const GraphRecord& after, bool backward, std::vector<ChangedNode>& into) {
  const std::vector<Key> old_keys = keys_of(before.nodes), new_keys = keys_of(after.nodes);
  std::map<Key, std::size_t> old_place, new_place;
  for (std::size_t at = 0; at < old_keys.size(); ++at) old_place[old_keys[at]] = at;
  for (std::size_t at = 0; at < new_keys.size(); ++at) new_place[new_keys[at]] = at;

  std::vector<std::size_t> in_both, where_before;  // indices in `after` and in `before`
  for (std::size_t at = 0; at < after.nodes.size(); ++at) {
    const auto old = old_place.find(new_keys[at]);
    if (after.nodes[at].backward != backward || old == old_place.end()) continue;
    in_both.push_back(at);
    where_before.push_back(old->second);
  }
  std::set<std::size_t> in_order;  // indices in `after`
  for (const std::size_t member : longest_ascending(where_before)) in_order.insert(in_both[member]);

  // A removed node is listed after the last node before it that kept its order.
  std::vector<ChangedNode> at_front;
  std::map<std::size_t, std::vector<ChangedNode>> gone_behind;  // removed nodes, by the index in `after` that they follow
  std::vector<ChangedNode>* here = &at_front;
  for (std::size_t at = 0; at < before.nodes.size(); ++at) {
    if (before.nodes[at].backward != backward) continue;
    const auto kept = new_place.find(old_keys[at]);
    if (kept == new_place.end())
      here->push_back({.change = NodeChange::removed, .node = before.nodes[at]});
    else if (in_order.contains(kept->second))
      here = &gone_behind[kept->second];
  }
  into.insert(into.end(), at_front.begin(), at_front.end());
  for (std::size_t at = 0; at < after.nodes.size(); ++at) {
    const GraphNodeRecord& node = after.nodes[at];
    if (node.backward != backward) continue;
    const auto old = old_place.find(new_keys[at]);
    const NodeChange change = old == old_place.end()              ? NodeChange::added
                              : !in_order.contains(at)            ? NodeChange::moved
                              : before.nodes[old->second] == node ? NodeChange::same
                                                                  : NodeChange::rewired;
    into.push_back({.change = change, .node = node});
    const std::vector<ChangedNode>& gone = gone_behind[at];
    into.insert(into.end(), gone.begin(), gone.end());
  }
}

}  // namespace

std::vector<ChangedNode> change_between(const GraphRecord& before, const GraphRecord& after) {
  std::vector<ChangedNode> nodes;
  add_half(before, after, false, nodes);
  add_half(before, after, true, nodes);
  return nodes;
}

}  // namespace ordercheck::captured
