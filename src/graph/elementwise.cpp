// Lists sharding rules of elementwise operators with broadcasting: shard any result dim, and each operand that has it.
#include <map>
#include <set>
#include <string>

#include "graph/strategy.h"

namespace ordercheck::placing {
namespace {

// Which partial sums an operator preserves bitwise: f(a) + f(b) = f(a + b). Products and quotients are linear but round, and
// rounding two summands differs from rounding their sum. So they do not count, although DTensor allows them.
enum class Linear {
  never,     // exp, mul
  alone,     // neg, clone: in a single tensor
  together,  // add: in all tensors together
};

const std::map<std::string, Linear>& elementwise_operators() {
  static const std::map<std::string, Linear> kOperators{
      {"aten::add", Linear::together},
      {"aten::sub", Linear::together},
      {"aten::mul", Linear::never},
      {"aten::div", Linear::never},
      {"aten::neg", Linear::alone},
      {"aten::clone", Linear::alone},
      {"aten::lift_fresh_copy", Linear::alone},
      {"aten::detach", Linear::alone},
      {"aten::alias", Linear::alone},
      {"aten::contiguous", Linear::alone},
      {"aten::_to_copy", Linear::never},  // it may round each partial sum; one to more bytes does not
      {"aten::silu_backward", Linear::never},
      {"aten::gelu_backward", Linear::never},
      {"aten::sigmoid_backward", Linear::never},
      {"aten::tanh_backward", Linear::never},
      {"aten::threshold_backward", Linear::never},
      {"aten::pow", Linear::never},
      {"aten::rsqrt", Linear::never},
      {"aten::sqrt", Linear::never},
      {"aten::reciprocal", Linear::never},
      {"aten::exp", Linear::never},
      {"aten::log", Linear::never},
      {"aten::sin", Linear::never},
      {"aten::cos", Linear::never},
      {"aten::tanh", Linear::never},
      {"aten::relu", Linear::never},
      {"aten::silu", Linear::never},
      {"aten::gelu", Linear::never},
      {"aten::sigmoid", Linear::never},
      {"aten::abs", Linear::never},
      {"aten::maximum", Linear::never},
      {"aten::minimum", Linear::never},
      {"aten::where", Linear::never},
      {"aten::eq", Linear::never},
      {"aten::ne", Linear::never},
      {"aten::lt", Linear::never},
      {"aten::gt", Linear::never},
      {"aten::logical_and", Linear::never},
      {"aten::logical_not", Linear::never},
  };
  return kOperators;
}

// The operand's placement if the result is sharded along `dim`; dims align from the last.
Placement aligned(const Shape& operand, const Shape& result, int dim) {
  const int own = dim - static_cast<int>(result.size() - operand.size());
  return own < 0 || operand[own] == 1 ? replicate() : shard(own);
}

}  // namespace

std::optional<std::vector<AxisRule>> elementwise_rules(const OperatorShapes& shapes) {
  const auto known = elementwise_operators().find(shapes.node.op);
  if (known == elementwise_operators().end() || shapes.results.size() != 1 || shapes.operands.empty()) return std::nullopt;
  const Shape& result = shapes.results.front();
  const std::size_t count = shapes.operands.size();
  const std::vector<Placement> whole(count, replicate());
  std::vector<AxisRule> rules{{.operands = whole, .results = {replicate()}}};
  for (int dim = 0; dim < static_cast<int>(result.size()); ++dim) {
    if (result[dim] == 1) continue;
    AxisRule rule{.operands = {}, .results = {shard(dim)}};
    for (const Shape& operand : shapes.operands) rule.operands.push_back(aligned(operand, result, dim));
    rules.push_back(rule);
  }
  // Each rank would add a constant once, so add is linear only if all its operands are tensors.
  const bool is_exact_cast = shapes.node.op == "aten::_to_copy" && shapes.widens;
  if ((known->second == Linear::together && count >= 2) || ((known->second == Linear::alone || is_exact_cast) && count == 1))
    rules.push_back({.operands = std::vector(count, partial()), .results = {partial()}});
  return rules;
}

// Lists rules of factories. Equal elements can be sharded by creating fewer; a shard of a range would need another start.
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
