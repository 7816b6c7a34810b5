#include "native/transform/redistribution.h"

#include <map>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "graph/costs.h"
#include "native/module/placement.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

using Kind = placing::Placement::Kind;

// One collective along one mesh axis (`group`), which changes the tensor's placement there.
struct Step {
  placing::Move move;
  std::string group;
  int ranks = 1;
  // Global to the axis: size of the dim that was sharded before, and of the one sharded after.
  int64_t length_from = 0, length_to = 0;

  Span mine(int64_t length) const { return chunk_of(length, ranks, group_rank(group)); }
  int64_t longest(int64_t length) const { return (length + ranks - 1) / ranks; }
};

// Pads with zeros at the end of `dim`.
at::Tensor padded_to(const at::Tensor& piece, int64_t dim, int64_t length) {
  std::vector<int64_t> pads(2 * static_cast<std::size_t>(piece.dim() - dim),
                            0);  // from the last dim to this one: front, end
  pads.back() = length - piece.size(dim);
  return at::constant_pad_nd(piece, pads, 0);
}

at::Tensor gathered(at::Tensor piece, const Step& step) {
  const int64_t dim = step.move.from.dim;
  const bool is_uneven = step.length_from % step.ranks != 0;
  if (is_uneven) piece = padded_to(piece, dim, step.longest(step.length_from));
  at::Tensor whole = all_gather(piece, dim, step.group);
  return is_uneven ? whole.slice(dim, 0, step.length_from) : whole;
}

at::Tensor cut(const at::Tensor& whole, const Step& step) {
  const Span mine = step.mine(step.length_to);
  return whole.slice(step.move.to.dim, mine.start, mine.start + mine.length);
}

at::Tensor scattered(at::Tensor summand, const Step& step) {
  const int64_t dim = step.move.to.dim;
  const bool is_uneven = step.length_to % step.ranks != 0;
  if (is_uneven) summand = padded_to(summand, dim, step.longest(step.length_to) * step.ranks);
  at::Tensor mine = reduce_scatter(summand, dim, step.group);
  return is_uneven ? mine.slice(dim, 0, step.mine(step.length_to).length) : mine;
}

// Shard to shard by all-to-all: sends chunk i along the newly sharded dim to rank i, and concatenates what arrives along the
// dim that was sharded before.
at::Tensor exchanged(at::Tensor piece, const Step& step) {
  const int64_t before = step.move.from.dim, behind = step.move.to.dim;
  if (step.length_from % step.ranks != 0) piece = padded_to(piece, before, step.longest(step.length_from));
  std::vector<int64_t> sent;
  for (int rank = 0; rank < step.ranks; ++rank) sent.push_back(chunk_of(step.length_to, step.ranks, rank).length);
  const int64_t rows = step.mine(step.length_to).length;
  const std::vector<int64_t> received(static_cast<std::size_t>(step.ranks), rows);
  at::Tensor got = all_to_all(piece.movedim(behind, 0).contiguous(), received, sent, step.group);
  std::vector<at::Tensor> pieces;
  for (int rank = 0; rank < step.ranks; ++rank)
    pieces.push_back(got.slice(0, rank * rows, (rank + 1) * rows).movedim(0, behind));
  return at::cat(pieces, before).slice(before, 0, step.length_from);
}

at::Tensor moved(const at::Tensor& piece, const Step& step) {
  const Kind from = step.move.from.kind, to = step.move.to.kind;
  if (from == Kind::shard && to == Kind::replicate) return gathered(piece, step);
  if (from == Kind::replicate && to == Kind::shard) return cut(piece, step);
  if (from == Kind::partial && to == Kind::replicate) return all_reduce(piece, step.group);
  if (from == Kind::partial && to == Kind::shard) return scattered(piece, step);
  if (from == Kind::shard && to == Kind::shard) return exchanged(piece, step);
  throw std::runtime_error(
      fmt::format("no collective leads from {} to {}", placing::name_of(step.move.from), placing::name_of(step.move.to)));
}

// Moves the piece by one collective over all ranks of the mesh at once, as the flat_move says.
at::Tensor over_all(const at::Tensor& piece, const placing::Shape& whole, const placing::FlatMove& flat,
                    const placing::DeviceMesh& mesh) {
  std::vector<std::string> axes;
  for (const placing::MeshAxis& axis : mesh) {
    if (axis.size > 1) axes.push_back(axis.name);
  }
  const auto length = [&](const placing::Placement& at) {
    return at.kind == Kind::shard ? whole[static_cast<std::size_t>(at.dim)] : 0;
  };
  return moved(piece, {.move = {.axis = 0, .from = flat.from, .to = flat.to},
                       .group = join(axes, "+"),
                       .ranks = static_cast<int>(placing::rank_count(mesh)),
                       .length_from = length(flat.from),
                       .length_to = length(flat.to)})
      .contiguous();
}

}  // namespace

placing::Shape piece_sizes(const placing::Shape& whole, const placing::Placements& placements,
                           const placing::DeviceMesh& mesh) {
  placing::Shape sizes = whole;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (placements[axis].kind != Kind::shard) continue;
    int64_t& size = sizes[static_cast<std::size_t>(placements[axis].dim)];
    size = chunk_of(size, mesh[axis].size, group_rank(mesh[axis].name)).length;
  }
  return sizes;
}

at::Tensor redistribute(const at::Tensor& piece, const placing::Shape& whole, const placing::Placements& from,
                        const placing::Placements& to, const placing::DeviceMesh& mesh) {
  if (from == to) return piece;
  const placing::Route route = placing::route(from, to);
  if (!route.possible)
    throw std::runtime_error(
        fmt::format("a value cannot be brought from {} to {}", placing::name_of(from), placing::name_of(to)));
  if (const auto flat = placing::flat_move(whole, from, to, mesh)) return over_all(piece, whole, *flat, mesh);
  at::Tensor now = piece;
  placing::Placements place = from;
  for (const placing::Move& move : route.moves) {
    const auto axis = static_cast<std::size_t>(move.axis);
    place[axis] = placing::replicate();
    const placing::Shape shared = piece_sizes(whole, place, mesh);  // sizes of what the ranks of this axis have together
    const auto length = [&](const placing::Placement& at) {
      return at.kind == Kind::shard ? shared[static_cast<std::size_t>(at.dim)] : 0;
    };
    now = moved(now, {.move = move,
                      .group = mesh[axis].name,
                      .ranks = mesh[axis].size,
                      .length_from = length(move.from),
                      .length_to = length(move.to)});
    place[axis] = move.to;
  }
  return now.contiguous();
}

namespace {

// Returns the index of an operator's argument that gives the result's sizes (view, expand); nullopt if it has none.
std::optional<std::size_t> place_of_sizes(const std::string& op) {
  static const std::map<std::string, std::size_t> kPlaces{
      {"aten::view", 1},   {"aten::_unsafe_view", 1},   {"aten::reshape", 1},
      {"aten::expand", 1}, {"aten::slice_backward", 1}, {"aten::select_backward", 1},
      {"aten::full", 0},   {"aten::zeros", 0},          {"aten::ones", 0}};
  const auto found = kPlaces.find(op);
  return found == kPlaces.end() ? std::nullopt : std::optional(found->second);
}

// A view that must run as a reshape: a piece that came from a collective may have other strides than in the trace, and viewing
// it may need a copy.
bool is_reshape(const Node& node) { return node.name() == "aten::view" && node.arguments[1].constant.isIntList(); }

std::vector<at::Tensor> results_in(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> made;
  for (const c10::IValue& value : stack) {
    if (value.isTensorList()) {
      for (const at::Tensor& each : value.toTensorVector()) made.push_back(each);
    } else if (value.toTensor().defined()) {
      made.push_back(value.toTensor());
    }
  }
  return made;
}

}  // namespace

std::vector<at::Tensor> run_on_pieces(const Node& node, const std::vector<at::Tensor>& operands,
                                      const std::vector<placing::Shape>& results) {
  if (is_reshape(node)) return {at::reshape(operands.at(0), results.at(0))};
  torch::jit::Stack stack;
  std::size_t next = 0;
  for (const Argument& argument : node.arguments)
    stack.push_back(argument_of(argument, [&](ValueId) { return operands.at(next++); }));
  const auto sizes = place_of_sizes(node.name());
  if (sizes && stack.at(*sizes).isIntList()) stack[*sizes] = c10::IValue(results.at(0));
  node.op.callBoxed(&stack);
  std::vector<at::Tensor> made = results_in(stack);
  if (made.size() != results.size())
    throw std::runtime_error(
        fmt::format("{} on a piece: expected {} results, got {}", node.name(), results.size(), made.size()));
  for (std::size_t at = 0; at < made.size(); ++at) {
    if (made[at].sizes() != at::IntArrayRef(results[at]))
      throw std::runtime_error(fmt::format("{} on a piece: expected a result of [{}], got [{}]", node.name(),
                                           fmt::join(results[at], ", "), fmt::join(made[at].sizes(), ", ")));
  }
  return made;
}

}  // namespace ordercheck::ranks
