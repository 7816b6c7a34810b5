#include "ranks/graph/node_order.h"

#include <stdexcept>

namespace ordercheck::ranks {

ValueUses::ValueUses(const std::vector<Node>& nodes) {
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    for (const ValueId id : results(nodes[at])) makers_[id] = at;
    for (const ValueId id : operands(nodes[at])) readers_[id].push_back(at);
  }
}

std::optional<std::size_t> ValueUses::maker(ValueId id) const {
  const auto found = makers_.find(id);
  return found == makers_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::size_t>& ValueUses::readers(ValueId id) const {
  const auto found = readers_.find(id);
  return found == readers_.end() ? none_ : found->second;
}

void put_makers_first(std::vector<Node>& nodes) {
  const ValueUses uses(nodes);
  enum class Place { waiting, on_the_way, placed };
  std::vector<Place> places(nodes.size(), Place::waiting);
  std::vector<std::size_t> order;
  // By a stack of its own: a chain of makers is as long as a model is deep.
  struct Visit {
    std::size_t node;
    std::vector<ValueId> reads;
    std::size_t next = 0;
  };
  for (std::size_t root = 0; root < nodes.size(); ++root) {
    if (places[root] != Place::waiting) continue;
    std::vector<Visit> path{{.node = root, .reads = operands(nodes[root])}};
    places[root] = Place::on_the_way;
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == visit.reads.size()) {
        places[visit.node] = Place::placed;
        order.push_back(visit.node);
        path.pop_back();
        continue;
      }
      const auto maker = uses.maker(visit.reads[visit.next++]);
      if (!maker || places[*maker] == Place::placed) continue;
      if (places[*maker] == Place::on_the_way) throw std::logic_error("nodes of a graph read each other in a circle");
      places[*maker] = Place::on_the_way;
      path.push_back({.node = *maker, .reads = operands(nodes[*maker])});
    }
  }
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (const std::size_t at : order) sorted.push_back(std::move(nodes[at]));
  nodes = std::move(sorted);
}

}  // namespace ordercheck::ranks
