#include "base/bits.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <xxhash.h>

namespace ordercheck {
namespace {

Result<std::uint64_t> parse_word(std::string_view hex) {
  std::uint64_t word = 0;
  const char* const end = hex.data() + hex.size();
  const auto [stopped, error] = std::from_chars(hex.data(), end, word, 16);
  if (hex.size() != 16 || error != std::errc{} || stopped != end)
    return Error{fmt::format("expected 16 hex digits, got {} characters{}", hex.size(),
                             hex.size() == 16 ? " of which some are no hex digit" : "")};
  return word;
}

// Maps doubles to integers in ascending order; both zeros map to 0.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

}  // namespace

Bits64 bits_of(double value) { return {std::bit_cast<std::uint64_t>(value)}; }
double value_of(Bits64 bits) { return std::bit_cast<double>(bits.bits); }
std::string hex(Bits64 bits) { return fmt::format("{:016x}", bits.bits); }

Result<Bits64> parse_bits64(std::string_view hex) {
  const Result<std::uint64_t> word = parse_word(hex);
  if (!word) return word.error();
  return Bits64{*word};
}

std::uint64_t ulp_distance(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<std::uint64_t>::max();
  const std::int64_t low = std::min(place_of(a), place_of(b)), high = std::max(place_of(a), place_of(b));
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

Hash128 hash_of(const void* data, std::size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  return {{hash.high64, hash.low64}};
}

Hash128 hash_of(std::string_view text) { return hash_of(text.data(), text.size()); }

std::string hex(const Hash128& hash) { return fmt::format("{:016x}{:016x}", hash.words[0], hash.words[1]); }

Result<Hash128> parse_hash128(std::string_view hex) {
  if (hex.size() != 32) return Error{fmt::format("expected 32 hex digits, got {} characters", hex.size())};
  const Result<std::uint64_t> high = parse_word(hex.substr(0, 16)), low = parse_word(hex.substr(16));
  if (!high || !low) return Error{"expected 32 hex digits, got another character"};
  return Hash128{{*high, *low}};
}

}  // namespace ordercheck
