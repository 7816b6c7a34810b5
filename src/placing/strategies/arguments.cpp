#include "placing/strategies/arguments.h"

#include <charconv>

#include "base/text.h"
#include "placing/graph/recorded.h"

namespace ordercheck::placing {
namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> int_argument(const JointNode& node, std::size_t at) {
  if (at >= node.arguments.size()) return std::nullopt;
  return whole_number(node.arguments[at]);
}

std::optional<std::vector<std::int64_t>> ints_argument(const JointNode& node, std::size_t at) {
  if (at >= node.arguments.size()) return std::nullopt;
  const std::string& text = node.arguments[at];
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split_arguments(text.substr(1, text.size() - 2))) {
    const auto number = whole_number(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<bool> bool_argument(const JointNode& node, std::size_t at) {
  if (at >= node.arguments.size()) return std::nullopt;
  if (node.arguments[at] == "True") return true;
  if (node.arguments[at] == "False") return false;
  return std::nullopt;
}

std::optional<int> dim_of(std::optional<std::int64_t> dim, std::size_t rank) {
  if (!dim) return std::nullopt;
  const auto dims = static_cast<std::int64_t>(rank);
  const std::int64_t counted = *dim < 0 ? *dim + dims : *dim;
  if (counted < 0 || counted >= dims) return std::nullopt;
  return static_cast<int>(counted);
}

}  // namespace ordercheck::placing
