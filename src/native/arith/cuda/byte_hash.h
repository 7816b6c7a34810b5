// Computes XXH3-128 with many threads, bit for bit as hash_of (base/bits.h), so that records do not depend on the device.
//
// XXH3 (xxHash 0.8, doc/xxhash_spec.md) adds 16 stripes of 64 bytes into eight accumulators, then scrambles them, block by
// block. The sums of a block do not depend on earlier blocks, so blocks are added in parallel. Then one thread per accumulator
// scrambles them in order. Short input uses other XXH3 algorithms and is hashed on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "native/arith/cuda/host_device.h"

namespace ordercheck::ranks {

inline constexpr std::int64_t kHashStripe = 64, kHashBlock = 1024, kHashLanes = 8;
inline constexpr std::int64_t kLongestShortHash = 240;

// Initial accumulators: XXH_PRIME32_3, XXH_PRIME64_1 to 4, XXH_PRIME32_2, XXH_PRIME64_5, XXH_PRIME32_1.
inline constexpr std::uint64_t kHashStart[kHashLanes] = {0xC2B2AE3DULL,         0x9E3779B185EBCA87ULL, 0xC2B2AE3D27D4EB4FULL,
                                                         0x165667B19E3779F9ULL, 0x85EBCA77C2B2AE63ULL, 0x85EBCA77ULL,
                                                         0x27D4EB2F165667C5ULL, 0x9E3779B1ULL};

// Reads eight little-endian bytes at any alignment.
ORDERCHECK_HOST_DEVICE inline std::uint64_t word_at(const unsigned char* bytes) {
  std::uint64_t word = 0;
  if (reinterpret_cast<std::uintptr_t>(bytes) % 8 == 0) {
    memcpy(&word, __builtin_assume_aligned(bytes, 8), 8);
    return word;
  }
  for (int i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return word;
}

struct HashSecret {
  alignas(8) unsigned char bytes[192];
  ORDERCHECK_HOST_DEVICE std::uint64_t word(std::int64_t at) const { return word_at(bytes + at); }
};

struct ByteHash {
  const unsigned char* in;
  std::int64_t count;  // bytes; more than kLongestShortHash
  HashSecret secret;
  std::uint64_t* sums;  // eight per block, including a partial last block

  // Number of scrambled blocks: XXH3 does not scramble the last block, even a full one.
  ORDERCHECK_HOST_DEVICE std::int64_t scrambled() const { return (count - 1) / kHashBlock; }
  ORDERCHECK_HOST_DEVICE std::int64_t blocks() const { return scrambled() + 1; }

  ORDERCHECK_HOST_DEVICE static void add(std::uint64_t data, std::uint64_t other, std::uint64_t secret, std::uint64_t& sum) {
    const std::uint64_t key = data ^ secret;
    sum += other + (key & 0xFFFFFFFFu) * (key >> 32);
  }

  // Computes the sum of accumulator i % 8 over block i / 8.
  ORDERCHECK_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t block = i / kHashLanes, lane = i % kHashLanes;
    const std::int64_t stripes =
        block < scrambled() ? kHashBlock / kHashStripe : (count - 1 - block * kHashBlock) / kHashStripe;
    std::uint64_t sum = 0;
    for (std::int64_t stripe = 0; stripe < stripes; ++stripe) {
      const unsigned char* const at = in + block * kHashBlock + stripe * kHashStripe;
      add(word_at(at + 8 * lane), word_at(at + 8 * (lane ^ 1)), secret.word(8 * stripe + 8 * lane), sum);
    }
    sums[i] = sum;
  }

  // Returns accumulator `lane` after all blocks and the last 64 bytes, which may overlap the last stripe.
  ORDERCHECK_HOST_DEVICE std::uint64_t accumulated(std::int64_t lane, std::uint64_t start) const {
    std::uint64_t value = start;
    for (std::int64_t block = 0; block < scrambled(); ++block) {
      value += sums[block * kHashLanes + lane];
      value = ((value ^ (value >> 47)) ^ secret.word(128 + 8 * lane)) * 0x9E3779B1u;
    }
    value += sums[scrambled() * kHashLanes + lane];
    const unsigned char* const last = in + count - kHashStripe;
    add(word_at(last + 8 * lane), word_at(last + 8 * (lane ^ 1)), secret.word(121 + 8 * lane), value);
    return value;
  }
};

}  // namespace ordercheck::ranks
