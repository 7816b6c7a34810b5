// Initial values: a pure function of (seed, parameter name, element), the same for every layout and every engine. No value
// is zero, so that no parameter hides a missing gradient.
//
// Element i is center + scale * (2 * unit(draw(seed, key(name), i)) - 1), with the generator of stack/counter_random.h.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center, double scale,
                         at::ScalarType dtype);

// Of a parameter, or of a rank's piece of one: matrices, and each of several in one tensor, uniform with the variance 1/columns,
// vectors around 1.
at::Tensor initial_parameter(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, at::ScalarType dtype);

}  // namespace ordercheck::ranks
