#include "ranks/placing/local_operator.h"

#include <map>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

namespace ordercheck::ranks {
namespace {

// Which argument states the sizes of the result.
std::optional<std::size_t> place_of_sizes(const std::string& op) {
  static const std::map<std::string, std::size_t> kPlaces{
      {"aten::view", 1},   {"aten::_unsafe_view", 1},   {"aten::reshape", 1},
      {"aten::expand", 1}, {"aten::slice_backward", 1}, {"aten::select_backward", 1},
      {"aten::full", 0},   {"aten::zeros", 0},          {"aten::ones", 0}};
  const auto found = kPlaces.find(op);
  return found == kPlaces.end() ? std::nullopt : std::optional(found->second);
}

// A piece that came by a collective need not lie as the whole did: where a view would do for the whole, a copy may be needed.
bool is_reshape(const Node& node) { return node.name() == "aten::view" && node.arguments[1].constant.isIntList(); }

std::vector<at::Tensor> results_in(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> made;
  for (const c10::IValue& value : stack) {
    if (value.isTensorList()) {
      for (const at::Tensor& each : value.toTensorVector()) made.push_back(each);
    } else if (value.toTensor().defined()) {
      made.push_back(value.toTensor());
    }
  }
  return made;
}

}  // namespace

std::vector<at::Tensor> run_on_pieces(const Node& node, const std::vector<at::Tensor>& operands,
                                      const std::vector<placing::Shape>& results) {
  if (is_reshape(node)) return {at::reshape(operands.at(0), results.at(0))};
  torch::jit::Stack stack;
  std::size_t next = 0;
  for (const Argument& argument : node.arguments)
    stack.push_back(argument_of(argument, [&](ValueId) { return operands.at(next++); }));
  const auto sizes = place_of_sizes(node.name());
  if (sizes && stack.at(*sizes).isIntList()) stack[*sizes] = c10::IValue(results.at(0));
  node.op.callBoxed(&stack);
  std::vector<at::Tensor> made = results_in(stack);
  if (made.size() != results.size())
    throw std::runtime_error(
        fmt::format("{} on a piece: expected {} results, got {}", node.name(), results.size(), made.size()));
  for (std::size_t at = 0; at < made.size(); ++at) {
    if (made[at].sizes() != at::IntArrayRef(results[at]))
      throw std::runtime_error(fmt::format("{} on a piece: expected a result of [{}], got [{}]", node.name(),
                                           fmt::join(results[at], ", "), fmt::join(made[at].sizes(), ", ")));
  }
  return made;
}

}  // namespace ordercheck::ranks
