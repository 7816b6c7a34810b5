#include "ranks/module/placement.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

std::size_t axis_index(const std::string& axis) {
  return std::find(kMeshAxes.begin(), kMeshAxes.end(), axis) - kMeshAxes.begin();
}

int rank_at(const Mesh& mesh, const std::array<int, 5>& coordinate) {
  int rank = 0;
  for (std::size_t i = 0; i < kMeshAxes.size(); ++i) rank = rank * mesh.degrees[i] + coordinate[i];
  return rank;
}

// What the ranks at `coordinate` hold together once the placements from `applied` on are undone.
at::Tensor undo(const Placements& placements, std::size_t applied, const Mesh& mesh, std::array<int, 5> coordinate,
                const std::function<at::Tensor(int)>& piece) {
  if (applied == placements.size()) return piece(rank_at(mesh, coordinate));
  const Placement& placement = placements[applied];
  const std::size_t axis = axis_index(placement.axis);
  std::vector<at::Tensor> parts;
  for (int i = 0; i < mesh.degrees[axis]; ++i) {
    coordinate[axis] = i;
    parts.push_back(undo(placements, applied + 1, mesh, coordinate, piece));
  }
  if (placement.kind == Placement::Kind::shard) return at::cat(parts, placement.dim);
  at::Tensor sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

}  // namespace

Span chunk_of(int64_t size, int count, int index) {
  const int64_t step = (size + count - 1) / count;
  const int64_t start = std::min(size, step * index);
  return {.start = start, .length = std::min(step, size - start)};
}

at::Tensor local_piece(const at::Tensor& full, const Placements& placements, const Mesh& mesh, int rank) {
  const auto coordinate = coordinates(mesh, rank);
  at::Tensor piece = full;
  for (const Placement& placement : placements) {
    const std::size_t axis = axis_index(placement.axis);
    const Span span = chunk_of(piece.size(placement.dim), mesh.degrees[axis], coordinate[axis]);
    piece = piece.narrow(placement.dim, span.start, span.length);
  }
  return piece.contiguous();
}

at::Tensor assemble(const Placements& placements, const Mesh& mesh, const std::function<at::Tensor(int)>& piece) {
  return undo(placements, 0, mesh, {0, 0, 0, 0, 0}, piece);
}

std::string print(const Placements& placements) {
  if (placements.empty()) return "replicated";
  std::string text;
  for (const Placement& placement : placements) {
    if (!text.empty()) text += ", ";
    text += placement.kind == Placement::Kind::shard ? fmt::format("{}: shard({})", placement.axis, placement.dim)
                                                     : fmt::format("{}: partial", placement.axis);
  }
  return text;
}

}  // namespace ordercheck::ranks
