#include "check/precedence_graph.h"

#include <algorithm>
#include <map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/transitive_reduction.hpp>

#include "base/text.h"
#include "check/precedence.h"

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
