// Graphs written by hand: every call adds a node behind the others and gives the number of the value that it makes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/joint_graph.h"

namespace ordercheck::placing {

class GraphBuilder {
 public:
  int parameter(Shape shape) { return placeholder(std::move(shape), Role::parameter, parameters_++); }
  int input(Shape shape) { return placeholder(std::move(shape), Role::input, inputs_++); }
  int tangent(Shape shape) { return placeholder(std::move(shape), Role::tangent, tangents_++); }

  int op(const std::string& name, const std::vector<int>& operands, Shape shape,
         const std::vector<std::string>& constants = {}) {
    return ops(name, operands, {std::move(shape)}, constants).front();
  }

  std::vector<int> ops(const std::string& name, const std::vector<int>& operands, const std::vector<Shape>& shapes,
                       const std::vector<std::string>& constants = {}) {
    std::vector<std::string> arguments;
    for (const int operand : operands) arguments.push_back(fmt::format("%{}", operand));
    arguments.insert(arguments.end(), constants.begin(), constants.end());
    std::vector<int> results;
    for (const Shape& shape : shapes) results.push_back(value(shape));
    graph_.nodes.push_back(
        {.op = name, .arguments = arguments, .operands = operands, .results = results, .backward = backward_});
    return results;
  }

  void output(int operand) { end(operand, Role::output, outputs_++); }
  void gradient(int operand, int parameter) { end(operand, Role::gradient_of_parameter, parameter); }

  void begin_backward() { backward_ = true; }
  void set_bytes(int value, int bytes) { graph_.values[value].element_bytes = bytes; }
  const Shape& shape(int value) const { return graph_.values[value].shape; }
  const JointGraph& graph() const { return graph_; }

 private:
  int value(Shape shape) {
    graph_.values.push_back({.shape = std::move(shape), .element_bytes = 8});
    return static_cast<int>(graph_.values.size()) - 1;
  }

  int placeholder(Shape shape, Role role, int index) {
    const int result = value(std::move(shape));
    graph_.nodes.push_back({.op = "placeholder", .results = {result}, .backward = backward_, .role = role, .index = index});
    return result;
  }

  void end(int operand, Role role, int index) {
    graph_.nodes.push_back({.op = "output",
                            .arguments = {fmt::format("%{}", operand)},
                            .operands = {operand},
                            .backward = backward_,
                            .role = role,
                            .index = index});
  }

  JointGraph graph_;
  bool backward_ = false;
  int parameters_ = 0, inputs_ = 0, tangents_ = 0, outputs_ = 0;
};

}  // namespace ordercheck::placing
