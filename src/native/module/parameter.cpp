#include "native/module/parameter.h"

#include <stdexcept>

#include <fmt/ranges.h>

namespace ordercheck::ranks {
namespace {

void refuse_if_placed(const Parameter& parameter, const std::string& axis) {
  if (parameter.placements.empty()) return;
  throw std::runtime_error(fmt::format(
      "Cannot distribute over axis '{}' a parameter of full shape [{}] that is already placed ({}); expected a whole one", axis,
      fmt::join(parameter.full_shape, ", "), print(parameter.placements)));
}

}  // namespace

at::Tensor Parameter::used() const {
  at::Tensor value = tensor;
  for (const auto& step : on_use) value = step(value);
  return value;
}

ParameterPtr make_parameter(at::Tensor piece, std::vector<int64_t> full_shape, Placements placements, bool requires_grad) {
  auto parameter = std::make_shared<Parameter>();
  piece.set_requires_grad(requires_grad);
  parameter->tensor = std::move(piece);
  parameter->full_shape = std::move(full_shape);
  parameter->placements = std::move(placements);
  parameter->held = std::make_shared<HeldStorage>(parameter->tensor);
  return parameter;
}

ParameterPtr distribute(const Parameter& parameter, const Placements& placements, const Mesh& mesh, int rank) {
  refuse_if_placed(parameter, placements.front().axis);
  auto piece = make_parameter(local_piece(parameter.tensor.detach(), placements, mesh, rank).clone(), parameter.full_shape,
                              placements, parameter.tensor.requires_grad());
  piece->on_use = parameter.on_use;
  return piece;
}

ParameterPtr replicate(const Parameter& parameter, const std::string& axis) {
  refuse_if_placed(parameter, axis);
  auto whole = make_parameter(parameter.tensor.detach().clone(), parameter.full_shape,
                              {{.axis = axis, .kind = Placement::Kind::replicate}}, parameter.tensor.requires_grad());
  whole->on_use = parameter.on_use;
  return whole;
}

ParameterPtr copy_of(const Parameter& parameter) {
  auto copy = make_parameter(parameter.tensor.detach().clone(), parameter.full_shape, parameter.placements,
                             parameter.tensor.requires_grad());
  copy->on_use = parameter.on_use;
  copy->grouped = parameter.grouped;
  return copy;
}

}  // namespace ordercheck::ranks
