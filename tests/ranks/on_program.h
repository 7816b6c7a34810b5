// Runs the program of a case with a transform of a test in place of the engine's: what run_case, which knows the engine's alone, cannot.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/range.h"
#include "native/arith/same_bits.h"
#include "native/train/rank_program.h"
#include "native/world/world.h"
#include "ranks/on_case.h"

namespace ordercheck::ranks {

using FindTransform = std::function<const Transform*(const std::string& name)>;
using WholeParameters = std::map<std::string, at::Tensor>;

// In exact arithmetic, a rank each, with the graphs that it captured; all of them must complete, else there are none.
inline std::vector<RankResult> run_program(const std::string& text, FindTransform find_transform) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  install_exact_kernels();
  const Case subject = case_of(text);
  const Mesh mesh = mesh_of(subject.stack);
  set_exact_grid(subject.settings.grid);
  reset_range(world_size(mesh) * subject.settings.accumulation);
  RankProgram program{.subject = subject, .graphs = true, .on_step = {}};
  program.find_transform = std::move(find_transform);
  std::vector<RankResult> results(static_cast<std::size_t>(world_size(mesh)));
  const WorldResult world = run_thread_world(
      mesh, {}, [&](RankState& rank) { results[static_cast<std::size_t>(rank.rank)] = run_rank_program(program, rank); });
  EXPECT_EQ(world.ending, Ending::completed) << text << ": " << (world.failure ? world.failure->message : "");
  if (world.ending != Ending::completed) results.clear();
  return results;
}

// Behind the last step.
inline WholeParameters whole_parameters(const std::string& text, const std::vector<RankResult>& results) {
  WholeParameters whole;
  if (results.empty()) return whole;
  const Mesh mesh = mesh_of(case_of(text).stack);
  std::vector<int> every;
  for (int rank = 0; rank < world_size(mesh); ++rank) every.push_back(rank);
  for (const auto& [name, piece] : results[0].values)
    whole[name] = assemble(piece.placements, mesh, every, [&, &name = name](int rank) {
      return results[static_cast<std::size_t>(rank)].values.at(name).tensor;
    });
  return whole;
}

inline std::string first_that_differs(const WholeParameters& a, const WholeParameters& b) {
  if (a.empty() || a.size() != b.size()) return "the number of parameters";
  for (const auto& [name, value] : a)
    if (!b.contains(name) || !same_bits(value.contiguous(), b.at(name).contiguous())) return name;
  return "";
}

}  // namespace ordercheck::ranks
