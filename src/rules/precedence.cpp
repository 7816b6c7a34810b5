#include "rules/precedence.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/transitive_reduction.hpp>

#include "base/text.h"
#include "rules/match.h"

namespace ordercheck {
namespace {

Strength strength_of(const Rule& rule, const Judge& judge) {
  if (judge.severity(rule) == Severity::error) return Strength::error;
  return judge.stands(rule) ? Strength::advice_that_holds : Strength::advice_about_others;
}

// Whether an order rule counts for the target: it is not silenced, and no run of the target refutes it.
bool is_a_reason(const Rule& rule, const Judge& judge) {
  const Grade& grade = judge.grade(rule);
  const bool is_over = grade.kind == GradeKind::refuted || grade.kind == GradeKind::stale;
  return !judge.is_silenced(rule) && !(is_over && !grade.engine.empty());
}

std::vector<Precedence> demanded(const Stack& stack, const Judge& judge) {
  std::vector<Precedence> all;
  StackMatch match = judge.match(stack);
  for (const auto& [page, demand] : match.demands_that_can_be_kept())
    if (is_a_reason(judge.rules()[page], judge))
      all.push_back(
          {.before = demand.before, .after = demand.after, .strength = strength_of(judge.rules()[page], judge), .page = page});
  // Stronger demands first; the rest of the key makes the order unique.
  std::ranges::sort(all, [&](const Precedence& a, const Precedence& b) {
    const auto key = [&](const Precedence& one) {
      return std::tuple(one.strength, std::string_view(judge.rules()[one.page].id), one.before, one.after);
    };
    return key(a) < key(b);
  });
  return all;
}

}  // namespace

Precedences::Precedences(const Stack& stack, const Judge& judge) : items_(stack.items.size()), reach_(items_ * items_, 0) {
  const std::vector<Precedence> all = demanded(stack, judge);
  for (const Precedence& one : all)
    if (one.strength == Strength::error) keep(one);
  for (std::size_t item = 0; item < items_; ++item) contradictory_ = contradictory_ || leads(item, item);
  if (contradictory_) return;
  for (const Precedence& one : all)
    if (one.strength != Strength::error && !leads(one.after, one.before)) keep(one);
}

// Keeps `reach_` transitively closed.
void Precedences::keep(const Precedence& one) {
  kept_.push_back(one);
  if (leads(one.before, one.after)) return;
  for (std::size_t from = 0; from < items_; ++from) {
    if (from != one.before && !leads(from, one.before)) continue;
    for (std::size_t to = 0; to < items_; ++to)
      if (to == one.after || leads(one.after, to)) reach_[from * items_ + to] = 1;
  }
}

std::vector<std::size_t> stable_order(std::size_t items, std::span<const Precedence> precedences) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(items, false);
  const auto waits = [&](std::size_t item) {
    return std::ranges::any_of(precedences, [&](const Precedence& one) { return one.after == item && !placed[one.before]; });
  };
  while (order.size() < items) {
    std::size_t next = 0;
    while (next < items && (placed[next] || waits(next))) ++next;
    assert(next < items && "only what contradicts itself nowhere has an order");
    placed[next] = true;
    order.push_back(next);
  }
  return order;
}

namespace {

using Graph = boost::adjacency_list<boost::setS, boost::vecS, boost::bidirectionalS>;
using Pair = std::pair<std::size_t, std::size_t>;  // before, after

Graph boost_graph(const PrecedenceGraph& graph) {
  Graph made(graph.items);
  for (const PrecedenceEdge& edge : graph.edges) boost::add_edge(edge.before, edge.after, made);
  return made;
}

// The items of a shortest path, ends included; empty if there is none.
std::vector<std::size_t> path_between(const Graph& graph, std::size_t from, std::size_t to) {
  std::vector<Graph::vertex_descriptor> parent(boost::num_vertices(graph));
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = i;
  boost::breadth_first_search(
      graph, from, boost::visitor(boost::make_bfs_visitor(boost::record_predecessors(parent.data(), boost::on_tree_edge()))));
  if (to != from && parent[to] == to) return {};
  std::vector<std::size_t> path{to};
  while (path.back() != from) path.push_back(parent[path.back()]);
  std::ranges::reverse(path);
  return path;
}

// A shortest cycle; empty if there is none.
std::vector<std::size_t> find_cycle(const Graph& graph) {
  std::vector<std::size_t> shortest;
  for (const auto edge : boost::make_iterator_range(boost::edges(graph))) {
    const std::vector<std::size_t> back = path_between(graph, boost::target(edge, graph), boost::source(edge, graph));
    if (!back.empty() && (shortest.empty() || back.size() < shortest.size())) shortest = back;
  }
  return shortest;
}

}  // namespace

PrecedenceGraph precedence_graph(const Stack& stack, const Judge& judge) {
  const Precedences precedences(stack, judge);
  PrecedenceGraph graph;
  graph.items = stack.items.size();
  std::map<Pair, PrecedenceEdge> edges;
  for (const Precedence& one : precedences.kept()) {
    PrecedenceEdge& made = edges[{one.before, one.after}];
    made.before = one.before;
    made.after = one.after;
    made.is_error = made.is_error || one.strength == Strength::error;
    const std::string& id = judge.rules()[one.page].id;
    if (!contains(made.rules, id)) made.rules.push_back(id);
  }
  for (auto& [pair, edge] : edges) {
    std::ranges::sort(edge.rules);
    graph.edges.push_back(std::move(edge));
  }
  if (precedences.are_contradictory()) graph.cycle = find_cycle(boost_graph(graph));
  return graph;
}

std::vector<std::size_t> stable_order(const PrecedenceGraph& graph) {
  std::vector<Precedence> precedences;
  for (const PrecedenceEdge& edge : graph.edges) precedences.push_back({.before = edge.before, .after = edge.after});
  return stable_order(graph.items, precedences);
}

std::vector<PrecedenceEdge> irreducible_edges(const PrecedenceGraph& graph) {
  const Graph links = boost_graph(graph);
  Graph reduced;
  std::map<Graph::vertex_descriptor, Graph::vertex_descriptor> to_reduced;
  std::vector<std::size_t> ids(graph.items);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  if (graph.items == 0) return {};
  boost::transitive_reduction(links, reduced, boost::make_assoc_property_map(to_reduced), ids.data());
  std::vector<PrecedenceEdge> kept;
  for (const PrecedenceEdge& edge : graph.edges)
    if (boost::edge(to_reduced.at(edge.before), to_reduced.at(edge.after), reduced).second) kept.push_back(edge);
  return kept;
}

}  // namespace ordercheck
