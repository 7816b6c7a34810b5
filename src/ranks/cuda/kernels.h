// The kernels of this room on a device: what runs a functor over its indices, and hands back what its threads found.
//
// Pointers are the device's; what is handed back is on the host, so that each call waits for the device. Free of state; any thread:
// on a GPU a call runs on the thread's current device and stream.
#pragma once

#include <array>
#include <cstdint>

#include <c10/core/Device.h>

#include "ranks/cuda/bit_difference.h"
#include "ranks/cuda/byte_hash.h"
#include "ranks/cuda/rounding.h"
#include "ranks/cuda/summation.h"

namespace ordercheck::ranks {

class Kernels {
 public:
  virtual ~Kernels() = default;
  virtual GridFit round(const Rounding& rounding, std::int64_t count) const = 0;
  virtual void root(const Root& root, std::int64_t count) const = 0;
  // A thread for each sum where `inner` is more than 1, else a block.
  virtual SumExtent add(const Summation& summation, std::int64_t sums) const = 0;
  virtual double largest_squares(const RowSquares& squares, std::int64_t rows) const = 0;
  // Of `count` elements of 1, 2, 4 or 8 bytes: the number of the first that differs, or kNowhere.
  virtual std::int64_t first_difference(const void* a, const void* b, std::int64_t count, int element_size) const = 0;
  // The eight accumulators of XXH3; `hash.sums` is memory of the device for eight words a block, or null: taken for the call.
  virtual std::array<std::uint64_t, kHashLanes> accumulate(ByteHash hash) const = 0;
};

// Those of the host, which any other device's are held to.
const Kernels& host_kernels();

// Of a GPU. Throws std::runtime_error in a program that was built without CUDA.
const Kernels& cuda_kernels();

// Throws for a device that is neither.
const Kernels& kernels_on(c10::Device device);

}  // namespace ordercheck::ranks
