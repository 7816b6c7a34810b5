#include "graph/costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace ordercheck::placing {
bool is_free(const std::string& op) {
  static const std::set<std::string> kFree{
      "placeholder",   "output",          "alias",         "aten::view",   "aten::_unsafe_view",
      "aten::t",       "aten::transpose", "aten::permute", "aten::expand", "aten::unsqueeze",
      "aten::squeeze", "aten::slice",     "aten::select",  "aten::split",  "aten::split_with_sizes",
      "aten::detach",  "aten::alias"};
  return kFree.contains(op);
}

double product_flops(const std::string& op, const std::vector<Shape>& operands) {
  const auto are_matrices = [&](std::size_t first, std::size_t last) {
    if (operands.size() <= last) return false;
    for (std::size_t at = first; at <= last; ++at)
      if (operands[at].size() < 2) return false;
    return true;
  };
  const auto product = [](const Shape& left, const Shape& right) {
    return 2.0 * static_cast<double>(element_count(left)) * static_cast<double>(right.back());
  };
  if (op == "aten::mm" || op == "aten::bmm") return are_matrices(0, 1) ? product(operands[0], operands[1]) : 0;
  if (op == "aten::addmm") return are_matrices(1, 2) ? product(operands[1], operands[2]) : 0;
  // Forward computes scores and their product with the values; backward has five such products.
  const bool is_forward = op == "aten::_scaled_dot_product_flash_attention_for_cpu";
  const bool is_backward = op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  const std::size_t first = is_forward ? 0 : 1;
  if ((!is_forward && !is_backward) || !are_matrices(first, first + 1)) return 0;
  const Shape &query = operands[first], &key = operands[first + 1];
  const double scores = 2.0 * static_cast<double>(element_count(query)) * static_cast<double>(key[key.size() - 2]);
  return scores * (is_forward ? 2 : 5);
}

Result<double> kernel_us(const std::string& op, const std::vector<Shape>& operands, double bytes, int element_bytes,
                         const Machine& machine) {
  const double us = std::max(bytes / machine.memory_bytes_per_us / machine.reachable, machine.launch_us);
  const double flops = product_flops(op, operands);
  if (flops == 0) return us;
  const auto peak = machine.flops_per_us.find(element_bytes);
  if (peak == machine.flops_per_us.end())
    return Error{fmt::format("the machine states no speed for products of elements of {} bytes", element_bytes)};
  return std::max(us, flops / peak->second / machine.reachable);
}

namespace {

bool is_shard(const Placement& placement) { return placement.kind == Placement::Kind::shard; }
bool is_partial(const Placement& placement) { return placement.kind == Placement::Kind::partial; }

bool shards_same_dim(const Placement& one, const Placement& other) {
  return is_shard(one) && is_shard(other) && one.dim == other.dim;
}

// The mesh axes that route() gathers and splits again: those whose placement changes, and those that shard the same dim inside
// a changing one.
std::vector<bool> undone_axes(const Placements& from, const Placements& to) {
  std::vector<bool> undone(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    undone[axis] = from[axis] != to[axis];
    for (std::size_t outer = 0; outer < axis && !undone[axis]; ++outer) {
      undone[axis] = undone[outer] && (shards_same_dim(from[outer], from[axis]) || shards_same_dim(to[outer], to[axis]));
    }
  }
  return undone;
}

// Whether a shard can move to another dim by one all-to-all: no other mesh axis shards the old or the new dim.
bool is_alone(const Placements& from, const Placements& to, std::size_t axis) {
  for (std::size_t other = 0; other < from.size(); ++other) {
    if (other == axis) continue;
    for (const Placement& own : {from[axis], to[axis]}) {
      if (shards_same_dim(own, from[other]) || shards_same_dim(own, to[other])) return false;
    }
  }
  return true;
}

double copy_us(double bytes, const Machine& machine) {
  // Reads and writes every byte.
  return std::max(2 * bytes / machine.memory_bytes_per_us / machine.reachable, machine.launch_us);
}

// The time of the copy that a collective needs if a shard is not along dim 0 and so not contiguous.
double pack_us(const Placement& placement, double bytes, const Machine& machine) {
  return is_shard(placement) && placement.dim != 0 ? copy_us(bytes, machine) : 0;
}

}  // namespace

double collective_us(Collective kind, double bytes, int ranks, const Link& link) {
  if (ranks == 1) return 0;
  // Ring: ranks - 1 steps of bytes / ranks each.
  const double others = ranks - 1, once = others * link.latency_us + bytes * others / ranks / link.bytes_per_us;
  // An all-reduce is a reduce-scatter and an all-gather.
  return kind == Collective::all_reduce ? 2 * once : once;
}

Route route(const Placements& from, const Placements& to) {
  Route found;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (is_partial(to[axis]) && !is_partial(from[axis])) return {.possible = false, .moves = {}};
  }
  const std::vector<bool> undone = undone_axes(from, to);
  const auto add = [&](std::size_t axis, Placement before, Placement after) {
    found.moves.push_back({.axis = static_cast<int>(axis), .from = before, .to = after});
  };
  std::vector<bool> straight(from.size());
  // Innermost axis first: gather what is nested before the shard that changes.
  for (std::size_t axis = from.size(); axis-- > 0;) {
    if (!undone[axis] || !is_shard(from[axis])) continue;
    straight[axis] = is_shard(to[axis]) && from[axis] != to[axis] && is_alone(from, to, axis);
    if (!straight[axis]) add(axis, from[axis], replicate());
  }
  // Then split again, outermost axis first.
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (!undone[axis]) continue;
    const Placement now = straight[axis] || is_partial(from[axis]) ? from[axis] : replicate();
    if (now != to[axis]) add(axis, now, to[axis]);
  }
  return found;
}

std::optional<FlatMove> flat_move(const Shape& shape, const Placements& from, const Placements& to, const DeviceMesh& mesh) {
  std::optional<FlatMove> flat;
  int wide = 0;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (mesh[axis].size == 1) continue;
    ++wide;
    if (!flat) flat = {.from = from[axis], .to = to[axis]};
    if (flat->from != from[axis] || flat->to != to[axis]) return std::nullopt;
  }
  if (wide < 2) return std::nullopt;
  const bool gathers = is_shard(flat->from) && flat->to == replicate();
  const bool sums = is_partial(flat->from) && !is_partial(flat->to);
  if (!(gathers || sums) || !is_even(shape, from, mesh) || !is_even(shape, to, mesh)) return std::nullopt;
  return flat;
}

namespace {

// The cost of one collective over all mesh axes, at the speed of the slowest link.
Nanoseconds flat_cost(const JointValue& value, const FlatMove& flat, const DeviceMesh& mesh, const Machine& machine) {
  Link slowest{.bytes_per_us = std::numeric_limits<double>::infinity(), .latency_us = 0};
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (mesh[axis].size == 1) continue;
    slowest.bytes_per_us = std::min(slowest.bytes_per_us, machine.links[axis].bytes_per_us);
    slowest.latency_us = std::max(slowest.latency_us, machine.links[axis].latency_us);
  }
  const double bytes = static_cast<double>(element_count(value.shape)) * value.element_bytes;
  const Collective kind = is_shard(flat.from) ? Collective::all_gather
                          : is_shard(flat.to) ? Collective::reduce_scatter
                                              : Collective::all_reduce;
  const double us = collective_us(kind, bytes, static_cast<int>(rank_count(mesh)), slowest) +
                    pack_us(flat.from, bytes, machine) + pack_us(flat.to, bytes, machine);
  return std::llround(us * 1000) + kPreferredStay;
}

}  // namespace

Nanoseconds move_cost(const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh,
                      const Machine& machine) {
  const Route way = route(from, to);
  if (!way.possible) return kForbidden;
  if (const auto flat = flat_move(value.shape, from, to, mesh)) return flat_cost(value, *flat, mesh, machine);
  double bytes = static_cast<double>(element_count(value.shape)) * value.element_bytes;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (is_shard(from[axis])) bytes /= mesh[axis].size;
  }
  double us = 0;
  for (const Move& move : way.moves) {
    const int ranks = mesh[move.axis].size;
    const Link& link = machine.links[move.axis];
    if (is_partial(move.from)) {
      us += collective_us(is_shard(move.to) ? Collective::reduce_scatter : Collective::all_reduce, bytes, ranks, link);
      us += pack_us(move.to, bytes, machine);
      if (is_shard(move.to)) bytes /= ranks;
    } else if (is_shard(move.from) && is_shard(move.to)) {
      us += collective_us(Collective::all_to_all, bytes, ranks, link) + pack_us(move.from, bytes, machine) +
            pack_us(move.to, bytes, machine);
    } else if (is_shard(move.from)) {
      // An all-gather is priced by its whole result.
      bytes *= ranks;
      us += collective_us(Collective::all_gather, bytes, ranks, link) + pack_us(move.from, bytes, machine);
    } else {
      bytes /= ranks;  // each rank slices its part locally
    }
  }
  return std::llround(us * 1000) + (way.moves.empty() ? 0 : kPreferredStay);
}

Result<Nanoseconds> run_cost(const JointGraph& graph, int node, const Strategy& strategy, const DeviceMesh& mesh,
                             const Machine& machine) {
  const JointNode& run = graph.nodes[node];
  if (is_free(run.op)) return Nanoseconds{0};
  double bytes = 0;
  std::vector<Shape> operands;
  for (std::size_t at = 0; at < run.operands.size(); ++at) {
    const JointValue& value = graph.values[run.operands[at]];
    operands.push_back(local_shape(value.shape, strategy.operands[at], mesh));
    bytes += static_cast<double>(element_count(operands.back())) * value.element_bytes;
  }
  for (std::size_t at = 0; at < run.results.size(); ++at) {
    const JointValue& value = graph.values[run.results[at]];
    bytes += static_cast<double>(element_count(local_shape(value.shape, strategy.results[at], mesh))) * value.element_bytes;
  }
  // Without operands there is no product, so the element size is unused.
  const int element = run.operands.empty() ? 0 : graph.values[run.operands[0]].element_bytes;
  const auto us = kernel_us(run.op, operands, bytes, element, machine);
  if (!us) return Error{name_of(graph, node) + ": " + us.error().message};
  return Nanoseconds{std::llround(*us * 1000)};
}

Machine h100(const DeviceMesh& mesh) {
  return {.name = "one H100 a rank, NVLink between all",
          .flops_per_us = {{2, 989e6}, {4, 67e6}, {8, 67e6}},
          .memory_bytes_per_us = 3.35e6,
          .links = std::vector(mesh.size(), Link{.bytes_per_us = 450e3, .latency_us = 5})};
}

Machine for_built_in_models(const DeviceMesh& mesh) {
  // A width of 48 instead of 4096, and elements of 8 bytes instead of 2: a link may send 0.155 bytes per operation.
  constexpr double kFlops = 1e3, kMemory = 1150, kLink = 155;
  Machine machine = h100(mesh);
  machine.name = "an H100 slowed down to the small model";
  for (auto& [bytes, flops] : machine.flops_per_us) flops = kFlops;
  machine.memory_bytes_per_us = kMemory;
  for (Link& link : machine.links) link.bytes_per_us = kLink;
  return machine;
}

Status check_machine(const Machine& machine, const DeviceMesh& mesh) {
  if (machine.links.size() != mesh.size())
    return Error{fmt::format("the machine states {} links for a mesh of {} axes; expected one per axis", machine.links.size(),
                             mesh.size())};
  const bool links_are_sound =
      std::ranges::all_of(machine.links, [](const Link& link) { return link.bytes_per_us > 0 && link.latency_us >= 0; });
  const bool peaks_are_sound = std::ranges::all_of(machine.flops_per_us, [](const auto& peak) { return peak.second > 0; });
  if (!links_are_sound || !peaks_are_sound || !(machine.memory_bytes_per_us > 0) || !(machine.reachable > 0) ||
      machine.launch_us < 0)
    return Error{"the machine states a speed that is not above zero, or a latency below it"};
  return Done{};
}

}  // namespace ordercheck::placing
