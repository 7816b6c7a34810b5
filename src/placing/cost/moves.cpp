#include <algorithm>
#include <cmath>
#include <limits>

#include "placing/cost/costs.h"

namespace ordercheck::placing {
namespace {

bool is_shard(const Placement& placement) { return placement.kind == Placement::Kind::shard; }
bool is_partial(const Placement& placement) { return placement.kind == Placement::Kind::partial; }

bool shards_same_dim(const Placement& one, const Placement& other) {
  return is_shard(one) && is_shard(other) && one.dim == other.dim;
}

// Axes whose placement is undone: those that change, and those nested inside one that does, before or after.
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

// A shard can go straight to another dim where no other axis shards either.
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
  return std::max(2 * bytes / machine.memory_bytes_per_us / machine.reachable, machine.launch_us);
}

// Along another dim than the first, what is sent or received is not in one piece and is copied.
double pack_us(const Placement& placement, double bytes, const Machine& machine) {
  return is_shard(placement) && placement.dim != 0 ? copy_us(bytes, machine) : 0;
}

}  // namespace

double collective_us(Collective kind, double bytes, int ranks, const Link& link) {
  if (ranks == 1) return 0;
  const double others = ranks - 1, once = others * link.latency_us + bytes * others / ranks / link.bytes_per_us;
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
  for (std::size_t axis = from.size(); axis-- > 0;) {
    if (!undone[axis] || !is_shard(from[axis])) continue;
    straight[axis] = is_shard(to[axis]) && from[axis] != to[axis] && is_alone(from, to, axis);
    if (!straight[axis]) add(axis, from[axis], replicate());
  }
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

// One collective over all ranks is as fast as the slowest link between them.
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
      bytes *= ranks;
      us += collective_us(Collective::all_gather, bytes, ranks, link) + pack_us(move.from, bytes, machine);
    } else {
      bytes /= ranks;  // what is replicated is cut without a message
    }
  }
  return std::llround(us * 1000) + (way.moves.empty() ? 0 : kPreferredStay);
}

}  // namespace ordercheck::placing
