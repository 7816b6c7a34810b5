// Small graphs drawn at random, so small that all their placements can be tried.
#pragma once

#include <rapidcheck.h>

#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {

// Matrices of 2 or 4 rows and columns, some 3 or 5, which no mesh of two divides; a few operators; now and then a gradient.
inline JointGraph arbitrary_graph(int operators) {
  GraphBuilder builder;
  const auto size = [] { return *rc::gen::element<std::int64_t>(2, 4, 4, 3); };
  std::vector<int> values{builder.parameter({size(), size()})};
  const Shape first = builder.shape(values[0]);
  if (*rc::gen::arbitrary<bool>()) values.push_back(builder.parameter({first[1], size()}));
  values.push_back(builder.input({size(), first[0]}));
  for (int count = 0; count < operators; ++count) {
    const int one = *rc::gen::elementOf(values);
    const Shape shape = builder.shape(one);
    std::vector<int> same, fitting;
    for (const int other : values) {
      if (builder.shape(other) == shape) same.push_back(other);
      if (builder.shape(other)[0] == shape[1]) fitting.push_back(other);
    }
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        if (!fitting.empty()) {
          const int other = *rc::gen::elementOf(fitting);
          values.push_back(builder.op("aten::mm", {one, other}, {shape[0], builder.shape(other)[1]}));
          break;
        }
        [[fallthrough]];
      case 1: values.push_back(builder.op("aten::mul", {one, *rc::gen::elementOf(same)}, shape)); break;
      case 2: values.push_back(builder.op("aten::add", {one, *rc::gen::elementOf(same)}, shape, {"1"})); break;
      case 3: values.push_back(builder.op("aten::t", {one}, {shape[1], shape[0]})); break;
      case 4: values.push_back(builder.op("aten::sum", {one}, {1, shape[1]}, {"[0]", "True", "None"})); break;
      default: values.push_back(builder.op("aten::silu", {one}, shape));
    }
  }
  builder.output(values.back());
  for (const int value : values) {
    if (value != values[0] && builder.shape(value) == first && *rc::gen::arbitrary<bool>()) {
      builder.gradient(value, 0);
      break;
    }
  }
  return builder.graph();
}

}  // namespace ordercheck::placing
