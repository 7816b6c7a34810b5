#include "evidence/shard.h"

#include "base/text.h"

namespace ordercheck {

std::optional<Shard> parse_shard(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const auto index = parse_integer(parts[0]), count = parse_integer(parts[1]);
  if (!index || !count || *index < 1 || *count < *index || *count > 10'000) return std::nullopt;
  return Shard{.index = static_cast<int>(*index), .count = static_cast<int>(*count)};
}

}  // namespace ordercheck
