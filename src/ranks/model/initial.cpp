#include "ranks/model/initial.h"

#include <cmath>

#include <ATen/ops/empty.h>

#include "ranks/arith/parameters.h"
#include "stack/counter_random.h"

namespace ordercheck::ranks {

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center, double scale,
                         at::ScalarType dtype) {
  at::Tensor value = at::empty(shape, at::kDouble);
  double* data = value.mutable_data_ptr<double>();
  const std::uint64_t stream = key(name);
  for (int64_t i = 0; i < value.numel(); ++i) {
    data[i] = center + scale * (2 * unit(draw(seed, stream, static_cast<std::uint64_t>(i))) - 1);
  }
  at::Tensor parameter = value.to(dtype);
  put_on_grid(parameter);
  return parameter;
}

at::Tensor initial_parameter(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  if (shape.size() == 1) return initial_value(seed, name, shape, 1, 0.25, dtype);
  return initial_value(seed, name, shape, 0, std::sqrt(3.0 / static_cast<double>(shape.back())), dtype);
}

}  // namespace ordercheck::ranks
