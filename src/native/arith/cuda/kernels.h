// Runs the functors of this folder over their indices on a device and returns the threads' combined result.
//
// Pointers are device pointers. Results are on the host, so each call waits for the device. Stateless; any thread: on a GPU,
// kernels run on the thread's current device and stream.
#pragma once

#include <array>
#include <cstdint>

#include <c10/core/Device.h>

#include "native/arith/cuda/bit_difference.h"
#include "native/arith/cuda/byte_hash.h"
#include "native/arith/cuda/rounding.h"
#include "native/arith/cuda/summation.h"

namespace ordercheck::ranks {

class Kernels {
 public:
  virtual ~Kernels() = default;
  virtual GridFit round(const Rounding& rounding, std::int64_t count) const = 0;
  virtual void root(const Root& root, std::int64_t count) const = 0;
  // Uses a thread per sum if `inner` is more than 1, else a block per sum.
  virtual SumExtent add(const Summation& summation, std::int64_t sums) const = 0;
  virtual double largest_squares(const RowSquares& squares, std::int64_t rows) const = 0;
  // Compares `count` elements of 1, 2, 4 or 8 bytes. Returns the index of the first difference, or kNowhere.
  virtual std::int64_t first_difference(const void* a, const void* b, std::int64_t count, int element_size) const = 0;
  // Returns the eight accumulators of XXH3. `hash.sums` is device memory for eight words per block, or null to allocate it.
  virtual std::array<std::uint64_t, kHashLanes> accumulate(ByteHash hash) const = 0;
};

// Runs on the host; tests compare other devices with it.
const Kernels& host_kernels();

// Throws std::runtime_error in a build without CUDA.
const Kernels& cuda_kernels();

// Throws for a device other than cpu or cuda.
const Kernels& kernels_on(c10::Device device);

}  // namespace ordercheck::ranks
