// Rounds numbers to a grid and finds their range, as a functor for snap (native/arith/snap.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "native/arith/cuda/host_device.h"

namespace ordercheck::ranks {

// Keeps the largest number. NaN counts as largest and is never replaced.
struct Largest {
  double value;
  ORDERCHECK_HOST_DEVICE static Largest none() { return {0.0}; }
  ORDERCHECK_HOST_DEVICE void keep(double other) {
    if (!(other <= value) && value == value) value = other;
  }
  ORDERCHECK_HOST_DEVICE void take(const Largest& other) { keep(other.value); }
};

// Whether numbers fit the grid: how many are too large for it, and the largest magnitude of all.
struct GridFit {
  std::int64_t outside;
  Largest largest;
  ORDERCHECK_HOST_DEVICE static GridFit none() { return {0, Largest::none()}; }
  ORDERCHECK_HOST_DEVICE void take(const GridFit& other) {
    outside += other.outside;
    largest.take(other.largest);
  }
};

// Computes out[i] = (in[i] + c) - c; `out` may be `in`. `limit` is the first magnitude outside the grid.
struct Rounding {
  const double* in;
  double* out;
  double c, limit;
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t i, GridFit& fit) const {
    const double x = in[i], magnitude = fabs(x);
    fit.outside += !(magnitude < limit);
    fit.largest.keep(magnitude);
    out[i] = (x + c) - c;
  }
};

// IEEE 754's square root, which both compilers round correctly.
struct Root {
  const double* in;
  double* out;
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t i, GridFit&) const { out[i] = sqrt(in[i]); }
};

}  // namespace ordercheck::ranks
