// What makes a tensor of constants. A shard of equal elements is made by asking for fewer; a shard of a range is another range.
#include <set>

#include "placing/strategies/strategy.h"

namespace ordercheck::placing {

std::optional<std::vector<AxisRule>> factory_rules(const OperatorShapes& shapes) {
  static const std::set<std::string> kAlike{"aten::full",      "aten::zeros",      "aten::ones",     "aten::scalar_tensor",
                                            "aten::full_like", "aten::zeros_like", "aten::ones_like"};
  if (shapes.results.size() != 1 || shapes.operands.size() > 1) return std::nullopt;
  const bool is_range = shapes.node.op == "aten::arange";
  if (!is_range && !kAlike.contains(shapes.node.op)) return std::nullopt;
  const std::size_t operands = shapes.operands.size();
  std::vector<AxisRule> rules{{.operands = std::vector(operands, replicate()), .results = {replicate()}}};
  if (is_range) return rules;
  for (int dim = 0; dim < static_cast<int>(shapes.results[0].size()); ++dim)
    rules.push_back({.operands = std::vector(operands, shard(dim)), .results = {shard(dim)}});
  return rules;
}

}  // namespace ordercheck::placing
