#include "base/wording.h"

#include <fmt/format.h>

namespace ordercheck {

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

std::pair<std::string, std::string> in_decimals(double one, double other) {
  constexpr int kUsual = 6, kAll = 17;
  std::pair<std::string, std::string> text;
  for (int digits = kUsual; digits <= kAll; ++digits) {
    text = {fmt::format("{:.{}g}", one, digits), fmt::format("{:.{}g}", other, digits)};
    if (text.first != text.second) break;
  }
  return text;
}

}  // namespace ordercheck
