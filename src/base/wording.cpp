#include "base/wording.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string in_bytes(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  return bytes >= 1e6 ? fmt::format("{:.2f} MB", bytes / 1e6) : fmt::format("{:.2f} kB", bytes / 1e3);
}

std::string enumerated(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  return fmt::format("{} and {}", join({parts.begin(), parts.end() - 1}, ", "), parts.back());
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

std::string labelled(int indent, const std::string& label, int width, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:{}}{:<{}} {}\n", "", indent, label, width, text);
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace ordercheck
