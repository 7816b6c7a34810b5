#include "placing/cost/operators.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace ordercheck::placing {

bool is_free(const std::string& op) {
  static const std::set<std::string> kFree{
      "placeholder",   "output",          "alias",         "aten::view",   "aten::_unsafe_view",
      "aten::t",       "aten::transpose", "aten::permute", "aten::expand", "aten::unsqueeze",
      "aten::squeeze", "aten::slice",     "aten::select",  "aten::split",  "aten::split_with_sizes",
      "aten::detach",  "aten::alias"};
  return kFree.contains(op);
}

double product_flops(const std::string& op, const std::vector<Shape>& operands) {
  const auto are_matrices = [&](std::size_t first, std::size_t last) {
    if (operands.size() <= last) return false;
    for (std::size_t at = first; at <= last; ++at)
      if (operands[at].size() < 2) return false;
    return true;
  };
  const auto product = [](const Shape& left, const Shape& right) {
    return 2.0 * static_cast<double>(element_count(left)) * static_cast<double>(right.back());
  };
  if (op == "aten::mm" || op == "aten::bmm") return are_matrices(0, 1) ? product(operands[0], operands[1]) : 0;
  if (op == "aten::addmm") return are_matrices(1, 2) ? product(operands[1], operands[2]) : 0;
  // Scores, and their product with the values; backward has five such products.
  const bool is_forward = op == "aten::_scaled_dot_product_flash_attention_for_cpu";
  const bool is_backward = op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  const std::size_t first = is_forward ? 0 : 1;
  if ((!is_forward && !is_backward) || !are_matrices(first, first + 1)) return 0;
  const Shape &query = operands[first], &key = operands[first + 1];
  const double scores = 2.0 * static_cast<double>(element_count(query)) * static_cast<double>(key[key.size() - 2]);
  return scores * (is_forward ? 2 : 5);
}

Result<double> kernel_us(const std::string& op, const std::vector<Shape>& operands, double bytes, int element_bytes,
                         const Machine& machine) {
  const double us = std::max(bytes / machine.memory_bytes_per_us / machine.reachable, machine.launch_us);
  const double flops = product_flops(op, operands);
  if (flops == 0) return us;
  const auto peak = machine.flops_per_us.find(element_bytes);
  if (peak == machine.flops_per_us.end())
    return Error{fmt::format("the machine states no speed for products of elements of {} bytes", element_bytes)};
  return std::max(us, flops / peak->second / machine.reachable);
}

}  // namespace ordercheck::placing
