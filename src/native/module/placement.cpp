#include "native/module/placement.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::ranks {
namespace {

// Returns the tensor that `ranks` have together on the axes of the placements from index `applied` on: concatenates shards and
// sums partial values, one axis at a time.
at::Tensor undo(const Placements& placements, std::size_t applied, const Mesh& mesh, const std::vector<int>& ranks,
                const std::function<at::Tensor(int)>& piece) {
  if (ranks.empty()) throw std::runtime_error("no rank holds a piece placed " + print(placements));
  if (applied == placements.size()) return piece(ranks.front());
  const Placement& placement = placements[applied];
  const int parts_wanted = placement.kind == Placement::Kind::replicate ? 1 : degree_of(mesh, placement.axis);
  std::vector<at::Tensor> parts;
  for (int i = 0; i < parts_wanted; ++i) {
    std::vector<int> there;
    std::ranges::copy_if(ranks, std::back_inserter(there),
                         [&](int rank) { return coordinate_of(mesh, rank, placement.axis) == i; });
    parts.push_back(undo(placements, applied + 1, mesh, there, piece));
  }
  if (placement.kind == Placement::Kind::shard) return at::cat(parts, placement.dim);
  at::Tensor sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

const char* word_of(Placement::Kind kind) {
  switch (kind) {
    case Placement::Kind::partial: return "partial";
    case Placement::Kind::replicate: return "replicate";
    default: return "shard";
  }
}

}  // namespace

Span chunk_of(int64_t size, int count, int index) {
  const int64_t step = (size + count - 1) / count;
  const int64_t start = std::min(size, step * index);
  return {.start = start, .length = std::min(step, size - start)};
}

at::Tensor local_piece(const at::Tensor& full, const Placements& placements, const Mesh& mesh, int rank) {
  at::Tensor piece = full;
  for (const Placement& placement : placements) {
    if (placement.kind == Placement::Kind::replicate) continue;
    const Span span =
        chunk_of(piece.size(placement.dim), degree_of(mesh, placement.axis), coordinate_of(mesh, rank, placement.axis));
    piece = piece.narrow(placement.dim, span.start, span.length);
  }
  return piece.contiguous();
}

at::Tensor assemble(const Placements& placements, const Mesh& mesh, const std::vector<int>& holders,
                    const std::function<at::Tensor(int)>& piece) {
  return undo(placements, 0, mesh, holders, piece);
}

bool is_placed_over(const Placements& placements, const std::string& axis) {
  return std::ranges::any_of(placements, [&](const Placement& placement) {
    return placement.axis == axis || contains(split(placement.axis, '+'), axis);
  });
}

std::string print(const Placements& placements) {
  if (placements.empty()) return "replicated";
  std::string text;
  for (const Placement& placement : placements) {
    if (!text.empty()) text += ", ";
    text += placement.kind == Placement::Kind::shard ? fmt::format("{}: shard({})", placement.axis, placement.dim)
                                                     : fmt::format("{}: {}", placement.axis, word_of(placement.kind));
  }
  return text;
}

}  // namespace ordercheck::ranks
