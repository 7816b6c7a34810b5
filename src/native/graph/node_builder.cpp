#include "native/graph/node_builder.h"

#include <stdexcept>

#include <ATen/ATen.h>
#include <c10/util/accumulate.h>

namespace ordercheck::ranks {
namespace {

Argument of_value(ValueId id) { return {.form = Argument::Form::tensor, .values = {id}, .constant = {}}; }
Argument of_values(std::vector<ValueId> ids) {
  return {.form = Argument::Form::tensors, .values = std::move(ids), .constant = {}};
}
Argument of_constant(c10::IValue value) {
  return {.form = Argument::Form::constant, .values = {}, .constant = std::move(value)};
}

}  // namespace

ValueId NodeBuilder::add(const char* op, const char* overload, std::vector<Argument> arguments, std::vector<int64_t> sizes,
                         bool is_view, ValueId as, at::ScalarType dtype) {
  const int64_t bytes = c10::multiply_integers(sizes) * static_cast<int64_t>(c10::elementSize(dtype));
  const ValueInfo info{.sizes = std::move(sizes), .dtype = dtype, .bytes = bytes, .is_view = is_view};
  if (as == kNoValue) {
    as = static_cast<ValueId>(graph_.values.size());
    graph_.values.push_back(info);
  } else {
    graph_.values[as] = info;
  }
  made.push_back({.op = c10::Dispatcher::singleton().findSchemaOrThrow(op, overload),
                  .arguments = std::move(arguments),
                  .results = {{.is_list = false, .values = {as}}},
                  .recomputed = like_.recomputed,
                  .policy = like_.policy,
                  .unshards = like_.unshards});
  return as;
}

ValueId NodeBuilder::view(ValueId x, std::vector<int64_t> sizes, ValueId as) {
  const c10::IValue wanted(sizes);
  return add("aten::view", "", {of_value(x), of_constant(wanted)}, std::move(sizes), true, as, graph_.values[x].dtype);
}

ValueId NodeBuilder::slice(ValueId x, int64_t dim, int64_t start, int64_t length) {
  std::vector<int64_t> sizes = graph_.values[x].sizes;
  sizes.at(static_cast<std::size_t>(dim)) = length;
  return add("aten::slice", "Tensor",
             {of_value(x), of_constant(dim), of_constant(start), of_constant(start + length), of_constant(int64_t{1})},
             std::move(sizes), true, kNoValue, graph_.values[x].dtype);
}

ValueId NodeBuilder::copy(ValueId x) {
  return add("aten::clone", "", {of_value(x), of_constant(static_cast<int64_t>(at::MemoryFormat::Contiguous))},
             graph_.values[x].sizes, false, kNoValue, graph_.values[x].dtype);
}

ValueId NodeBuilder::cat(const std::vector<ValueId>& parts, int64_t dim) {
  std::vector<int64_t> sizes = graph_.values[parts.front()].sizes;
  int64_t& length = sizes.at(static_cast<std::size_t>(dim));
  length = 0;
  for (const ValueId part : parts) length += graph_.values[part].sizes[static_cast<std::size_t>(dim)];
  return add("aten::cat", "", {of_values(parts), of_constant(dim)}, std::move(sizes), false, kNoValue,
             graph_.values[parts.front()].dtype);
}

ValueId NodeBuilder::gather(ValueId x, int64_t ranks, const std::string& group) {
  std::vector<int64_t> sizes = graph_.values[x].sizes;
  sizes.at(0) *= ranks;
  return add("_c10d_functional::all_gather_into_tensor", "", {of_value(x), of_constant(ranks), of_constant(group)},
             std::move(sizes), false, kNoValue, graph_.values[x].dtype);
}

ValueId NodeBuilder::reduce_scatter(ValueId x, int64_t ranks, const std::string& group) {
  std::vector<int64_t> sizes = graph_.values[x].sizes;
  sizes.at(0) /= ranks;
  return add("_c10d_functional::reduce_scatter_tensor", "",
             {of_value(x), of_constant(std::string("sum")), of_constant(ranks), of_constant(group)}, std::move(sizes), false,
             kNoValue, graph_.values[x].dtype);
}

ValueId NodeBuilder::wait(ValueId x) {
  return add("_c10d_functional::wait_tensor", "", {of_value(x)}, graph_.values[x].sizes, false, kNoValue,
             graph_.values[x].dtype);
}

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
  // Use an explicit stack: a chain of nodes is as long as the model is deep.
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
      if (places[*maker] == Place::on_the_way) throw std::logic_error("the nodes of a graph form a cycle");
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
