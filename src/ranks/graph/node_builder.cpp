#include "ranks/graph/node_builder.h"

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

}  // namespace ordercheck::ranks
