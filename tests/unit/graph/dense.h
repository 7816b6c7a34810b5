// Operators on small dense tensors of whole numbers, so that sums are exact in any order, and tensors cut up over a mesh and put
// together again: what a strategy claims is held against what ranks would compute.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "graph/strategy.h"

namespace ordercheck::placing {

struct Dense {
  Shape shape;
  std::vector<double> values;
  friend bool operator==(const Dense&, const Dense&) = default;
};

inline Dense filled(const Shape& shape, const std::function<double(const Shape&)>& value) {
  Dense made{.shape = shape, .values = {}};
  Shape at(shape.size(), 0);
  for (std::int64_t count = 0; count < element_count(shape); ++count) {
    made.values.push_back(value(at));
    for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0 && ++at[dim] == shape[dim]; --dim) at[dim] = 0;
  }
  return made;
}

// Along dims of one element every index reads that one; dims are aligned from the back.
inline double read(const Dense& tensor, const Shape& at) {
  std::int64_t offset = 0;
  const std::size_t skipped = at.size() - tensor.shape.size();
  for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim)
    offset = offset * tensor.shape[dim] + (tensor.shape[dim] == 1 ? 0 : at[dim + skipped]);
  return tensor.values[offset];
}

inline Shape moved(Shape at, int from, std::int64_t by) {
  at[from] += by;
  return at;
}

// The operator, giving a result of this shape; arguments that say a shape are not read. Nothing for operators that it does not know.
inline std::optional<Dense> run_dense(const JointNode& node, const std::vector<Dense>& in, const Shape& shape) {
  const std::string& op = node.op;
  const auto each = [&](const std::function<double(const Shape&)>& value) { return std::optional(filled(shape, value)); };
  const auto map = [&](const std::function<double(double)>& f) {
    return each([&](const Shape& at) { return f(read(in[0], at)); });
  };
  const auto zip = [&](const std::function<double(double, double)>& f) {
    return each([&](const Shape& at) { return f(read(in[0], at), read(in[1], at)); });
  };
  const auto argument_dim = [&](std::size_t argument, std::size_t rank) {
    return dim_of(int_argument(node, argument), rank).value();
  };
  if (op == "aten::add")
    return in.size() == 2 ? zip([](double a, double b) { return a + b; }) : map([](double a) { return a + 1; });
  if (op == "aten::sub") return zip([](double a, double b) { return a - b; });
  if (op == "aten::mul")
    return in.size() == 2 ? zip([](double a, double b) { return a * b; }) : map([](double a) { return a * 3; });
  if (op == "aten::div")
    return in.size() == 2 ? zip([](double a, double b) { return a / (b == 0 ? 0.5 : 1 / b); })
                          : map([](double a) { return a / 2; });
  if (op == "aten::silu_backward") return zip([](double gradient, double a) { return gradient * (a * a + 1); });
  if (op == "aten::neg") return map([](double a) { return -a; });
  if (op == "aten::silu" || op == "aten::pow" || op == "aten::rsqrt") return map([](double a) { return a * a + 1; });
  if (op == "aten::view" || op == "aten::_unsafe_view") return Dense{.shape = shape, .values = in[0].values};
  if (op == "aten::expand") return map([](double a) { return a; });
  if (op == "aten::unsqueeze") {
    const int dim = argument_dim(1, shape.size());
    return each([&](Shape at) { return at.erase(at.begin() + dim), read(in[0], at); });
  }
  if (op == "aten::t" || op == "aten::transpose") {
    const int one = op == "aten::t" ? 0 : argument_dim(1, shape.size()),
              other = op == "aten::t" ? 1 : argument_dim(2, shape.size());
    return each([&](Shape at) { return std::swap(at[one], at[other]), read(in[0], at); });
  }
  if (op == "aten::slice") {
    const int dim = argument_dim(1, shape.size());
    return each([&](const Shape& at) { return read(in[0], moved(at, dim, *int_argument(node, 2))); });
  }
  if (op == "aten::slice_backward") {
    const int dim = argument_dim(2, shape.size());
    return each([&](const Shape& at) {
      const std::int64_t inside = at[dim] - *int_argument(node, 3);
      return inside < 0 || inside >= in[0].shape[dim] ? 0.0 : read(in[0], moved(at, dim, -*int_argument(node, 3)));
    });
  }
  if (op == "aten::cat") {
    const int dim = argument_dim(1, shape.size());
    return each([&](const Shape& at) {
      return at[dim] < in[0].shape[dim] ? read(in[0], at) : read(in[1], moved(at, dim, -in[0].shape[dim]));
    });
  }
  if (op == "aten::mm" || op == "aten::bmm" || op == "aten::addmm") {
    const std::size_t left = op == "aten::addmm" ? 1 : 0;
    return each([&](const Shape& at) {
      double sum = left == 1 ? read(in[0], at) : 0;
      Shape one = at, other = at;
      for (std::int64_t k = 0; k < in[left].shape.back(); ++k) {
        one.back() = other[other.size() - 2] = k;
        sum += read(in[left], one) * read(in[left + 1], other);
      }
      return sum;
    });
  }
  if (op == "aten::sum" || op == "aten::mean") {
    const int dim = dim_of(ints_argument(node, 1)->front(), in[0].shape.size()).value();
    const bool keeps = shape.size() == in[0].shape.size();
    return each([&](Shape at) {
      if (!keeps) at.insert(at.begin() + dim, 0);
      double sum = 0;
      for (at[dim] = 0; at[dim] < in[0].shape[dim]; ++at[dim]) sum += read(in[0], at);
      return op == "aten::mean" ? sum / static_cast<double>(in[0].shape[dim]) : sum;
    });
  }
  if (op == "aten::_softmax" || op == "aten::_safe_softmax") {
    const int dim = argument_dim(1, shape.size());
    return each([&](Shape at) {
      const double own = read(in[0], at);
      double sum = 0;
      for (at[dim] = 0; at[dim] < in[0].shape[dim]; ++at[dim]) sum += read(in[0], at) * read(in[0], at) + 1;
      return own / sum;
    });
  }
  if (op == "aten::embedding") {
    return each([&](const Shape& at) {
      return read(in[0], {static_cast<std::int64_t>(read(in[1], Shape(at.begin(), at.end() - 1))), at.back()});
    });
  }
  if (op == "aten::embedding_dense_backward") {
    const std::int64_t width = in[0].shape.back();
    Dense sums = filled(shape, [](const Shape&) { return 0.0; });
    for (std::size_t at = 0; at < in[1].values.size(); ++at) {
      for (std::int64_t column = 0; column < width; ++column)
        sums.values[static_cast<std::int64_t>(in[1].values[at]) * width + column] += in[0].values[at * width + column];
    }
    return sums;
  }
  return std::nullopt;
}

// What each rank holds, the last axis of the mesh fastest. Partial sums are uneven, and no rank's is the whole.
inline std::vector<Dense> cut(const Dense& whole, const Placements& placements, const DeviceMesh& mesh, std::size_t axis = 0) {
  if (axis == mesh.size()) return {whole};
  std::vector<Dense> held;
  const int ranks = mesh[axis].size;
  for (int rank = 0; rank < ranks; ++rank) {
    Dense piece = whole;
    const Placement& placement = placements[axis];
    if (placement.kind == Placement::Kind::partial) {
      for (double& value : piece.values) value = rank == 0 ? value - 7 * (ranks - 1) : 7;
    } else if (placement.kind == Placement::Kind::shard) {
      const std::int64_t size = whole.shape[placement.dim], chunk = (size + ranks - 1) / ranks;
      Shape shape = whole.shape;
      shape[placement.dim] = std::clamp<std::int64_t>(size - rank * chunk, 0, chunk);
      piece = filled(shape, [&](const Shape& at) { return read(whole, moved(at, placement.dim, rank * chunk)); });
    }
    for (Dense& part : cut(piece, placements, mesh, axis + 1)) held.push_back(std::move(part));
  }
  return held;
}

// Of the pieces from `first` on. Nothing where replicas differ.
inline std::optional<Dense> joined(const std::vector<Dense>& held, const Placements& placements, const DeviceMesh& mesh,
                                   std::size_t axis = 0, std::size_t first = 0) {
  if (axis == mesh.size()) return held[first];
  std::size_t stride = 1;
  for (std::size_t inner = axis + 1; inner < mesh.size(); ++inner) stride *= mesh[inner].size;
  std::optional<Dense> whole;
  for (int rank = 0; rank < mesh[axis].size; ++rank) {
    const std::optional<Dense> part = joined(held, placements, mesh, axis + 1, first + rank * stride);
    if (!part) return std::nullopt;
    if (!whole) {
      whole = part;
    } else if (placements[axis].kind == Placement::Kind::replicate) {
      if (!(*whole == *part)) return std::nullopt;
    } else if (placements[axis].kind == Placement::Kind::partial) {
      for (std::size_t at = 0; at < part->values.size(); ++at) whole->values[at] += part->values[at];
    } else {
      const Dense before = *whole;
      const int dim = placements[axis].dim;
      Shape shape = before.shape;
      shape[dim] += part->shape[dim];
      whole = filled(shape, [&](const Shape& at) {
        return at[dim] < before.shape[dim] ? read(before, at) : read(*part, moved(at, dim, -before.shape[dim]));
      });
    }
  }
  return whole;
}

}  // namespace ordercheck::placing
