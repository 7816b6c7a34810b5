// Which part of a matrix: "2/3" is the second of three.
#pragma once

#include <optional>
#include <string_view>

namespace ordercheck {

struct Shard {
  int index = 1;  // 1 the first
  int count = 1;
  friend auto operator<=>(const Shard&, const Shard&) = default;
};

// Nothing of what is not i/n with 1 <= i <= n <= 10000.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace ordercheck
