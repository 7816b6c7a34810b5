// Converts bit patterns and hashes to and from hex text, and measures distances between float64 values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// The bit pattern of a float64. Comparison is bitwise: -0.0 differs from 0.0 and a NaN equals itself.
struct Bits64 {
  std::uint64_t bits = 0;
  friend auto operator<=>(const Bits64&, const Bits64&) = default;
};
Bits64 bits_of(double value);
double value_of(Bits64 bits);
std::string hex(Bits64 bits);  // 16 hex digits
Result<Bits64> parse_bits64(std::string_view hex);

// The number of representable float64 steps (ULP) between two finite values; the two zeros count as one value. UINT64_MAX if
// either is not finite.
std::uint64_t ulp_distance(double a, double b);

// XXH3-128 of a byte range.
struct Hash128 {
  std::array<std::uint64_t, 2> words{};
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};
Hash128 hash_of(const void* data, std::size_t bytes);
Hash128 hash_of(std::string_view text);
std::string hex(const Hash128& hash);  // 32 hex digits
Result<Hash128> parse_hash128(std::string_view hex);

}  // namespace ordercheck
