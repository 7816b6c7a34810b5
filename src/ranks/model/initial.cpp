#include "ranks/model/initial.h"

#include <ATen/ops/empty.h>

#include "stack/counter_random.h"

namespace ordercheck::ranks {

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center,
                         double scale, at::ScalarType dtype) {
  at::Tensor value = at::empty(shape, at::kDouble);
  double* data = value.mutable_data_ptr<double>();
  const std::uint64_t stream = key(name);
  for (int64_t i = 0; i < value.numel(); ++i) {
    data[i] = center + scale * (2 * unit(draw(seed, stream, static_cast<std::uint64_t>(i))) - 1);
  }
  return value.to(dtype);
}

}  // namespace ordercheck::ranks
