// Small graphs by hand: values of float64, nodes by what they read and make.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/graph_record.h"

namespace ordercheck::captured {

// A graph that grows: every value is a row of so many float64.
class SampleGraph {
 public:
  SampleGraph() { graph.module = "layers.0"; }

  int value(std::int64_t elements, int view_of = -1) {
    graph.shapes.push_back({elements});
    graph.element_bytes.push_back(8);
    graph.view_of.push_back(view_of);
    return static_cast<int>(graph.shapes.size()) - 1;
  }
  int input(std::int64_t elements) {
    graph.inputs.push_back(value(elements));
    return graph.inputs.back();
  }
  int parameter(std::int64_t elements) {
    graph.parameters.push_back(value(elements));
    return graph.parameters.back();
  }

  // Reads `operands` and makes a value of its own.
  int add(const std::string& op, const std::vector<int>& operands, std::int64_t elements) {
    const int made = value(elements);
    push(op, operands, {made});
    return made;
  }
  int view(int of, std::int64_t elements) {
    const int made = value(elements, of);
    push("aten::view", {of}, {made});
    return made;
  }
  // A collective over `ranks` and, elsewhere, its wait: the waited value shows what the collective made.
  int start(const std::string& op, int operand, std::int64_t elements, int ranks = 2, const std::string& group = "dp_shard") {
    const int made = add("_c10d_functional::" + op, {operand}, elements);
    graph.nodes.back().group = group;
    graph.nodes.back().ranks = ranks;
    return made;
  }
  int wait(int begun) {
    const int made = value(graph.shapes[static_cast<std::size_t>(begun)].front());
    push("_c10d_functional::wait_tensor", {begun}, {made});
    return made;
  }

  bool backward = false;  // of nodes that come from here on
  GraphRecord graph;

 private:
  void push(const std::string& op, const std::vector<int>& operands, const std::vector<int>& results) {
    std::vector<std::string> names;
    for (const int operand : operands) names.push_back(fmt::format("%{}", operand));
    graph.nodes.push_back({.op = op,
                           .backward = backward,
                           .arguments = fmt::format("{}", fmt::join(names, ", ")),
                           .operands = operands,
                           .results = results});
  }
};

}  // namespace ordercheck::captured
