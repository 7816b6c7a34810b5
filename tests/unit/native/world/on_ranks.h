// What the tests of the thread world share: meshes by axis, numbers that differ everywhere, bitwise comparison.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/arith/same_bits.h"
#include "native/world/collectives.h"
#include "native/world/world.h"

namespace ordercheck::ranks {

inline Mesh mesh_with(const std::vector<std::pair<std::string, int>>& axes) {
  Mesh mesh;
  for (const auto& [axis, degree] : axes) mesh.degrees[std::ranges::find(kMeshAxes, axis) - kMeshAxes.begin()] = degree;
  return mesh;
}

using RankBody = std::function<void(RankState&)>;

inline WorldResult run(const Mesh& mesh, const RankBody& body) { return run_thread_world(mesh, {}, body); }

// The world must complete.
inline void complete(const Mesh& mesh, const RankBody& body) {
  const WorldResult result = run(mesh, body);
  EXPECT_EQ(result.ending, Ending::completed) << (result.failure ? result.failure->message : "");
}

// Fractions, so that a reduction in another order or dtype gives other bits; different on every rank.
inline at::Tensor numbers(at::IntArrayRef sizes, int rank, at::ScalarType dtype = at::kDouble) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  at::Tensor values = at::arange(1, count + 1, at::kDouble).mul(0.1).add(rank * 1.7).reshape(sizes);
  if (!at::isFloatingType(dtype)) values = values.mul(10).floor();
  if (dtype == at::kBool) values = values.remainder(2 + rank).eq(0);
  return values.to(dtype);
}

// Lets ranks arrive in an order that changes from round to round.
inline void jitter(int rank, int round) {
  std::this_thread::sleep_for(std::chrono::microseconds((rank * 7919 + round * 104729) % 300));
}

}  // namespace ordercheck::ranks
