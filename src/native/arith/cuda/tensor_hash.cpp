// Finishes XXH3-128 on the host from the accumulators: see byte_hash.h.
#define XXH_INLINE_ALL
#include <cstring>

#include <ATen/ATen.h>
#include <xxhash.h>

#include "native/arith/cuda/kernels.h"
#include "native/arith/cuda/tensor_kernels.h"

namespace ordercheck::ranks::on_device {
namespace {

using Accumulators = std::array<std::uint64_t, kHashLanes>;

HashSecret secret_of_xxhash() {
  HashSecret secret;
  static_assert(sizeof XXH3_kSecret == sizeof secret.bytes);
  std::memcpy(secret.bytes, XXH3_kSecret, sizeof secret.bytes);
  return secret;
}

std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t merged(const Accumulators& all, const HashSecret& secret, std::int64_t from, std::uint64_t start) {
  std::uint64_t value = start;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t at = from + 16 * static_cast<std::int64_t>(i);
    value += folded_product(all[2 * i] ^ secret.word(at), all[2 * i + 1] ^ secret.word(at + 8));
  }
  value = (value ^ (value >> 37)) * 0x165667919E3779F9ULL;
  return value ^ (value >> 32);
}

}  // namespace

Hash128 hash_of_bytes(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous(), "hash of a tensor: expected a contiguous one");
  const auto count = static_cast<std::int64_t>(x.nbytes());
  if (count <= kLongestShortHash) {
    const at::Tensor here = x.cpu();
    return hash_of(here.const_data_ptr(), static_cast<std::size_t>(count));
  }
  const ByteHash hash{.in = static_cast<const unsigned char*>(x.const_data_ptr()),
                      .count = count,
                      .secret = secret_of_xxhash(),
                      .sums = nullptr};
  const Accumulators all = kernels_on(x.device()).accumulate(hash);
  const auto length = static_cast<std::uint64_t>(count);
  const std::uint64_t low = merged(all, hash.secret, 11, length * kHashStart[1]);
  const std::uint64_t high = merged(all, hash.secret, 192 - 64 - 11, ~(length * kHashStart[2]));
  return {.words = {high, low}};
}

}  // namespace ordercheck::ranks::on_device
