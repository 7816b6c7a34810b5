#include "check/orders.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "check/precedence.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using IndexPair = std::pair<std::size_t, std::size_t>;

Stack in_order(const Stack& stack, const std::vector<std::size_t>& order) {
  Stack made;
  for (const std::size_t index : order) made.items.push_back(stack.items[index]);
  return made;
}

std::set<IndexPair> commuting(const Stack& stack, const Judge& judge) {
  std::set<IndexPair> pairs;
  StackMatch match = judge.match(stack);
  for (const std::size_t page : places_in(match.commuting())) {
    const Rule& rule = judge.rules()[page];
    const GradeKind kind = judge.grade(rule).kind;
    if (!holds_for(rule, judge.target())) continue;
    if (kind == GradeKind::refuted || kind == GradeKind::stale) continue;
    for (const CommutingPair& pair : match.commuting_pairs(page)) {
      pairs.insert({pair.first, pair.second});
      pairs.insert({pair.second, pair.first});
    }
  }
  return pairs;
}

// Walks all linear extensions of the error edges, depth first.
class Enumeration {
 public:
  Enumeration(const PrecedenceGraph& graph, std::set<IndexPair> commuting, std::size_t at_most)
      : items_(graph.items), at_most_(at_most), commuting_(std::move(commuting)) {
    for (const PrecedenceEdge& edge : graph.edges) {
      if (edge.is_error) before_.insert({edge.before, edge.after});
      // What a rule orders does not change places, whatever another page says.
      commuting_.erase({edge.before, edge.after});
      commuting_.erase({edge.after, edge.before});
    }
  }

  void run() { extend(); }
  const std::vector<std::vector<std::size_t>>& orders() const { return orders_; }
  bool all() const { return all_; }

 private:
  bool placed(std::size_t item) const { return contains(so_far_, item); }

  bool may_come_next(std::size_t item) const {
    if (placed(item)) return false;
    for (const auto& [earlier, later] : before_)
      if (later == item && !placed(earlier)) return false;
    return true;
  }

  // Lexicographic normal form of a trace (Anisimov and Knuth 1979): no item may stand behind a larger one that it could
  // have moved in front of, past commuting items only.
  bool is_normal(std::size_t item) const {
    for (std::size_t i = so_far_.size(); i-- > 0;) {
      if (!commuting_.contains({so_far_[i], item})) return true;
      if (so_far_[i] > item) return false;
    }
    return true;
  }

  void extend() {
    if (so_far_.size() == items_) {
      if (orders_.size() == at_most_)
        all_ = false;
      else
        orders_.push_back(so_far_);
      return;
    }
    for (std::size_t item = 0; item < items_ && all_; ++item) {
      if (!may_come_next(item) || !is_normal(item)) continue;
      so_far_.push_back(item);
      extend();
      so_far_.pop_back();
    }
  }

  std::size_t items_;
  std::size_t at_most_;
  std::set<IndexPair> commuting_;
  std::set<IndexPair> before_;
  std::vector<std::size_t> so_far_;
  std::vector<std::vector<std::size_t>> orders_;
  bool all_ = true;
};

}  // namespace

Stack recommended_order(const Stack& stack, const Judge& judge) {
  const Precedences precedences(stack, judge);
  if (precedences.are_contradictory()) return stack;
  return in_order(stack, stable_order(stack.items.size(), precedences.kept()));
}

LegalOrders legal_orders(const Stack& items, const Judge& judge, std::size_t at_most) {
  const PrecedenceGraph graph = precedence_graph(items, judge);
  LegalOrders legal;
  if (!graph.cycle.empty()) return legal;
  Enumeration enumeration(graph, commuting(items, judge), at_most);
  enumeration.run();
  std::map<std::string, Stack> by_text;  // an item that stands twice makes the same order twice
  for (const std::vector<std::size_t>& order : enumeration.orders()) {
    Stack stack = in_order(items, order);
    by_text.emplace(print(stack), std::move(stack));
  }
  for (auto& [text, stack] : by_text) legal.orders.push_back(std::move(stack));
  legal.all = enumeration.all();
  return legal;
}

std::vector<BrokenEdge> orders_that_break_one_edge(const Stack& items, const Judge& judge) {
  PrecedenceGraph graph = precedence_graph(items, judge);
  if (!graph.cycle.empty()) return {};
  // Advice may be broken along with the edge: it is no error, and could stand on the way round.
  std::erase_if(graph.edges, [](const PrecedenceEdge& edge) { return !edge.is_error; });
  std::vector<BrokenEdge> broken;
  for (const PrecedenceEdge& edge : irreducible_edges(graph)) {
    // No other path leads from one end to the other, so that turned round it closes no cycle.
    PrecedenceGraph turned = graph;
    for (PrecedenceEdge& one : turned.edges)
      if (one.before == edge.before && one.after == edge.after) std::swap(one.before, one.after);
    std::ranges::sort(turned.edges, {}, [](const PrecedenceEdge& one) { return std::pair(one.before, one.after); });
    broken.push_back({.order = in_order(items, stable_order(turned)), .rules = edge.rules});
  }
  return broken;
}

}  // namespace ordercheck
