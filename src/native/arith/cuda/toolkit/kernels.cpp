#include "native/arith/cuda/kernels.h"

#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "native/arith/cuda/toolkit/launches.h"

namespace ordercheck::ranks {
namespace {

// Device memory for one launch, from LibTorch's allocator, on the current device and stream.
class Room {
 public:
  explicit Room(std::size_t bytes) : memory_(c10::cuda::CUDACachingAllocator::get()->allocate(bytes)) {}
  void* data() const { return memory_.get(); }

 private:
  c10::DataPtr memory_;
};

class CudaKernels final : public Kernels {
 public:
  GridFit round(const Rounding& rounding, std::int64_t count) const override {
    GridFit fit;
    C10_CUDA_CHECK(launch_rounding(rounding, count, Room(kLaunchRoom).data(), stream(), &fit));
    return fit;
  }
  void root(const Root& root, std::int64_t count) const override {
    C10_CUDA_CHECK(launch_root(root, count, Room(kLaunchRoom).data(), stream()));
  }
  SumExtent add(const Summation& summation, std::int64_t sums) const override {
    SumExtent extent;
    C10_CUDA_CHECK(launch_summation(summation, sums, Room(kLaunchRoom).data(), stream(), &extent));
    return extent;
  }
  double largest_squares(const RowSquares& squares, std::int64_t rows) const override {
    Largest largest;
    C10_CUDA_CHECK(launch_row_squares(squares, rows, Room(kLaunchRoom).data(), stream(), &largest));
    return largest.value;
  }
  std::int64_t first_difference(const void* a, const void* b, std::int64_t count, int element_size) const override {
    FirstPlace first;
    C10_CUDA_CHECK(launch_bit_difference(a, b, count, element_size, Room(kLaunchRoom).data(), stream(), &first));
    return first.place;
  }
  std::array<std::uint64_t, kHashLanes> accumulate(ByteHash hash) const override {
    const Room sums(hash.blocks() * kHashLanes * sizeof(std::uint64_t));
    hash.sums = static_cast<std::uint64_t*>(sums.data());
    std::array<std::uint64_t, kHashLanes> accumulators;
    C10_CUDA_CHECK(launch_byte_hash(hash, Room(kLaunchRoom).data(), stream(), accumulators.data()));
    return accumulators;
  }

 private:
  static cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream(); }
};

}  // namespace

const Kernels& cuda_kernels() {
  static const CudaKernels kernels;
  return kernels;
}

}  // namespace ordercheck::ranks
