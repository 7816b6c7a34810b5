#include "check/precedence_graph.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/transitive_reduction.hpp>

#include "base/text.h"
#include "rule/match.h"

namespace ordercheck {
namespace {

using Graph = boost::adjacency_list<boost::setS, boost::vecS, boost::bidirectionalS>;
using Pair = std::pair<std::size_t, std::size_t>;  // before, after

Graph boost_graph(const PrecedenceGraph& graph) {
  Graph made(graph.items);
  for (const PrecedenceEdge& edge : graph.edges) boost::add_edge(edge.before, edge.after, made);
  return made;
}

// The items on a shortest path, both ends with it; empty when there is none.
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

// A shortest cycle among the items of some strong component; empty when every component is one item.
std::vector<std::size_t> find_cycle(const Graph& graph) {
  std::vector<std::size_t> shortest;
  for (const auto edge : boost::make_iterator_range(boost::edges(graph))) {
    const std::vector<std::size_t> back = path_between(graph, boost::target(edge, graph), boost::source(edge, graph));
    if (!back.empty() && (shortest.empty() || back.size() < shortest.size())) shortest = back;
  }
  return shortest;
}

bool is_acyclic(const Graph& graph) {
  std::vector<std::size_t> component(boost::num_vertices(graph));
  if (component.empty()) return true;
  const std::size_t components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  return components == component.size();
}

enum Strength { error_edge, advice_that_holds, advice_about_others };

Strength strength_of(const Rule& rule, const Judge& judge) {
  if (judge.severity(rule) == Severity::error) return error_edge;
  const GradeKind kind = judge.grade(rule).kind;
  const bool over = kind == GradeKind::refuted || kind == GradeKind::stale;
  return holds_for(rule, judge.target()) && !over ? advice_that_holds : advice_about_others;
}

struct Wanted {
  Strength strength;
  std::string rule;
  Pair pair;
  auto key() const { return std::tie(strength, rule, pair); }
};

std::vector<Wanted> wanted_edges(const Stack& stack, const Judge& judge) {
  std::vector<Wanted> wanted;
  StackMatch match = judge.match(stack);
  for (const std::size_t page : places_in(match.ordering())) {
    const Rule& rule = judge.rules()[page];
    const std::vector<Demand> all = match.demands(page);
    for (const Demand& demand : all) {
      // Two items that may each play both parts cannot satisfy the rule in any order: a clash, not an order.
      const bool both_ways = contains(all, Demand{demand.after, demand.before});
      if (!both_ways) wanted.push_back({strength_of(rule, judge), rule.id, {demand.before, demand.after}});
    }
  }
  std::ranges::sort(wanted, {}, &Wanted::key);
  return wanted;
}

}  // namespace

PrecedenceGraph precedence_graph(const Stack& stack, const Judge& judge) {
  PrecedenceGraph graph;
  graph.items = stack.items.size();
  std::map<Pair, PrecedenceEdge> edges;
  Graph so_far(graph.items);
  const auto add = [&](const Wanted& edge) {
    PrecedenceEdge& made = edges[edge.pair];
    made.before = edge.pair.first;
    made.after = edge.pair.second;
    made.is_error = made.is_error || edge.strength == error_edge;
    if (!contains(made.rules, edge.rule)) made.rules.push_back(edge.rule);
    boost::add_edge(edge.pair.first, edge.pair.second, so_far);
  };
  const std::vector<Wanted> wanted = wanted_edges(stack, judge);
  for (const Wanted& edge : wanted)
    if (edge.strength == error_edge) add(edge);
  if (!is_acyclic(so_far)) graph.cycle = find_cycle(so_far);
  if (graph.cycle.empty())
    for (const Wanted& edge : wanted)
      if (edge.strength != error_edge && path_between(so_far, edge.pair.second, edge.pair.first).empty()) add(edge);
  for (auto& [pair, edge] : edges) {
    std::ranges::sort(edge.rules);
    graph.edges.push_back(std::move(edge));
  }
  return graph;
}

std::vector<std::size_t> stable_order(const PrecedenceGraph& graph) {
  const Graph links = boost_graph(graph);
  assert(is_acyclic(links) && "only a graph without a cycle has an order");
  std::vector<std::size_t> open(graph.items);
  std::set<std::size_t> ready;
  for (std::size_t item = 0; item < graph.items; ++item)
    if ((open[item] = boost::in_degree(item, links)) == 0) ready.insert(item);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(next);
    for (const std::size_t after : boost::make_iterator_range(boost::adjacent_vertices(next, links)))
      if (--open[after] == 0) ready.insert(after);
  }
  return order;
}

std::vector<PrecedenceEdge> irreducible_edges(const PrecedenceGraph& graph) {
  const Graph links = boost_graph(graph);
  assert(is_acyclic(links) && "only a graph without a cycle has a transitive reduction");
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
