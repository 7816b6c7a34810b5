// Draws random numbers as a pure function of their keys, so that every rank, layout and engine gets the same ones without
// shared state.
//
//   mix(x)      splitmix64's finalizer (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators)
//   draw(a, b, ...)  mix(... mix(mix(a) + b) + c ...), sums modulo 2^64
//   key(text)   FNV-1a, 64 bit
//   unit(x)     the top 53 bits of x over 2^53, in [0, 1)
#pragma once

#include <cstdint>
#include <string_view>

namespace ordercheck {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class... Keys>
constexpr std::uint64_t draw(std::uint64_t first, Keys... rest) {
  std::uint64_t x = mix(first);
  ((x = mix(x + static_cast<std::uint64_t>(rest))), ...);
  return x;
}

constexpr std::uint64_t key(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

constexpr double unit(std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }

}  // namespace ordercheck
