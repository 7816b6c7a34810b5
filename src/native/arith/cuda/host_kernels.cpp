#include <stdexcept>
#include <vector>

#include <c10/util/Exception.h>

#include "native/arith/cuda/kernels.h"
#include "native/arith/cuda/on_host.h"

namespace ordercheck::ranks {
namespace {

template <typename Word>
std::int64_t first_difference_of(const void* a, const void* b, std::int64_t count) {
  const BitDifference<Word> functor{static_cast<const Word*>(a), static_cast<const Word*>(b)};
  return fold_on_host<FirstPlace>(functor, count).place;
}

class HostKernels final : public Kernels {
 public:
  GridFit round(const Rounding& rounding, std::int64_t count) const override { return fold_on_host<GridFit>(rounding, count); }
  void root(const Root& root, std::int64_t count) const override { fold_on_host<GridFit>(root, count); }
  SumExtent add(const Summation& summation, std::int64_t sums) const override {
    return summation.inner > 1 ? fold_on_host<SumExtent>(summation, sums) : fold_rows_on_host(summation, sums);
  }
  double largest_squares(const RowSquares& squares, std::int64_t rows) const override {
    return fold_on_host<Largest>(squares, rows).value;
  }
  std::int64_t first_difference(const void* a, const void* b, std::int64_t count, int element_size) const override {
    switch (element_size) {
      case 1: return first_difference_of<std::uint8_t>(a, b, count);
      case 2: return first_difference_of<std::uint16_t>(a, b, count);
      case 4: return first_difference_of<std::uint32_t>(a, b, count);
      default: return first_difference_of<std::uint64_t>(a, b, count);
    }
  }
  std::array<std::uint64_t, kHashLanes> accumulate(ByteHash hash) const override {
    std::vector<std::uint64_t> sums(hash.blocks() * kHashLanes);
    hash.sums = sums.data();
    for (std::int64_t i = 0; i < hash.blocks() * kHashLanes; ++i) hash(i);
    std::array<std::uint64_t, kHashLanes> all;
    for (std::int64_t lane = 0; lane < kHashLanes; ++lane) all[lane] = hash.accumulated(lane, kHashStart[lane]);
    return all;
  }
};

}  // namespace

const Kernels& host_kernels() {
  static const HostKernels kernels;
  return kernels;
}

const Kernels& kernels_on(c10::Device device) {
  TORCH_CHECK(device.is_cpu() || device.is_cuda(), "exact kernels: expected a tensor on cpu or cuda, got one on ", device);
  return device.is_cuda() ? cuda_kernels() : host_kernels();
}

}  // namespace ordercheck::ranks
