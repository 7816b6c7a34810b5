#include "graph/strategy.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "graph/recorded.h"

namespace ordercheck::placing {
namespace {

constexpr Family kFamilies[] = {elementwise_rules,   reshaping_rules, piecewise_rules, contraction_rules, reduction_rules,
                                normalization_rules, embedding_rules, attention_rules, loss_rules,        factory_rules};

// Rules of placeholders, outputs and aliases, which keep the placement of their value. Excludes partial sums, since the caller
// would have to reduce them.
std::vector<AxisRule> keeping_rules(const OperatorShapes& shapes) {
  const std::vector<Shape>& any = shapes.results.empty() ? shapes.operands : shapes.results;
  std::vector<AxisRule> rules;
  const auto add = [&](Placement placement) {
    rules.push_back(
        {.operands = std::vector(shapes.operands.size(), placement), .results = std::vector(shapes.results.size(), placement)});
  };
  add(replicate());
  for (std::size_t dim = 0; dim < any.front().size(); ++dim) add(shard(static_cast<int>(dim)));
  return rules;
}

AxisRule replicated(const OperatorShapes& shapes) {
  return {.operands = std::vector(shapes.operands.size(), replicate()),
          .results = std::vector(shapes.results.size(), replicate())};
}

bool is_own(const std::string& op) { return op == "placeholder" || op == "output" || op == "alias"; }

std::optional<std::vector<AxisRule>> rules_of(const OperatorShapes& shapes) {
  if (is_own(shapes.node.op)) return keeping_rules(shapes);
  for (const Family family : kFamilies) {
    if (auto rules = family(shapes)) return rules;
  }
  return std::nullopt;
}

Strategy extended(const Strategy& start, const AxisRule& rule) {
  Strategy longer = start;
  for (std::size_t at = 0; at < rule.operands.size(); ++at) longer.operands[at].push_back(rule.operands[at]);
  for (std::size_t at = 0; at < rule.results.size(); ++at) longer.results[at].push_back(rule.results[at]);
  longer.even = longer.even || rule.even;
  return longer;
}

bool can_run(const Strategy& strategy, const OperatorShapes& shapes, const DeviceMesh& mesh) {
  const auto fits = [&](const Shape& shape, const Placements& placements) {
    return is_valid(shape, placements, mesh) && (!strategy.even || is_even(shape, placements, mesh));
  };
  for (std::size_t at = 0; at < strategy.operands.size(); ++at) {
    if (!fits(shapes.operands[at], strategy.operands[at])) return false;
  }
  for (std::size_t at = 0; at < strategy.results.size(); ++at) {
    if (!fits(shapes.results[at], strategy.results[at])) return false;
  }
  return true;
}

std::string joined(const std::vector<Placements>& all) {
  std::string text;
  for (const Placements& each : all) text += (text.empty() ? "" : ",") + name_of(each);
  return text;
}

}  // namespace

std::string name_of(const Strategy& strategy) {
  return fmt::format("{}->{}", joined(strategy.operands), joined(strategy.results));
}

NodeStrategies strategies_of(const JointGraph& graph, int node, const DeviceMesh& mesh) {
  OperatorShapes shapes{.node = graph.nodes[node], .operands = {}, .results = {}};
  for (const int value : shapes.node.operands) shapes.operands.push_back(graph.values[value].shape);
  for (const int value : shapes.node.results) shapes.results.push_back(graph.values[value].shape);

  if (!shapes.node.operands.empty() && !shapes.node.results.empty())
    shapes.widens =
        graph.values[shapes.node.operands.front()].element_bytes < graph.values[shapes.node.results.front()].element_bytes;

  NodeStrategies found;
  std::optional<std::vector<AxisRule>> rules = rules_of(shapes);
  found.is_known = rules.has_value();
  if (!rules) rules = {replicated(shapes)};
  std::vector<Strategy> products{
      {.operands = std::vector<Placements>(shapes.operands.size()), .results = std::vector<Placements>(shapes.results.size())}};
  for (const MeshAxis& axis : mesh) {
    std::vector<Strategy> longer;
    for (const Strategy& start : products) {
      // An axis of one rank splits nothing, so it is only replicated.
      for (const AxisRule& rule : axis.size == 1 ? std::vector{replicated(shapes)} : *rules)
        longer.push_back(extended(start, rule));
    }
    products = std::move(longer);
  }
  std::erase_if(products, [&](const Strategy& each) { return !can_run(each, shapes, mesh); });
  std::ranges::sort(products, {}, [](const Strategy& each) { return name_of(each); });
  const auto repeated = std::ranges::unique(products);
  products.erase(repeated.begin(), repeated.end());
  found.choices = std::move(products);
  return found;
}

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
