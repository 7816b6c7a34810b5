// Finds the first bit difference of two tensors, as a functor for same_bits (native/arith/same_bits.h).
#pragma once

#include <cstdint>
#include <limits>

#include "native/arith/cuda/host_device.h"

namespace ordercheck::ranks {

inline constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

struct FirstPlace {
  std::int64_t place;
  ORDERCHECK_HOST_DEVICE static FirstPlace none() { return {kNowhere}; }
  ORDERCHECK_HOST_DEVICE void take(const FirstPlace& other) { place = other.place < place ? other.place : place; }
};

// `Word` has the size of an element; addresses are aligned to it.
template <typename Word>
struct BitDifference {
  const Word *a, *b;
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t i, FirstPlace& first) const {
    if (a[i] != b[i]) first.take({i});
  }
};

}  // namespace ordercheck::ranks
