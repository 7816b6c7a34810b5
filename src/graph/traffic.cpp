#include "graph/traffic.h"

#include <cstdlib>

namespace ordercheck::placing {
namespace {

bool splits(const Placement& placement) { return placement.kind == Placement::Kind::shard; }

// The part of `bytes` that a rank of a ring sends: all but its own.
double by_a_ring(Collective kind, double bytes, double ranks) {
  const double once = bytes * (ranks - 1) / ranks;
  return kind == Collective::all_reduce ? 2 * once : once;
}

Collective kind_of(const Placement& from, const Placement& to) {
  if (from.kind == Placement::Kind::partial) return splits(to) ? Collective::reduce_scatter : Collective::all_reduce;
  return splits(to) ? Collective::all_to_all : Collective::all_gather;
}

}  // namespace

std::vector<SentOver> traffic_of(const JointValue& value, const Placements& from, const Placements& to,
                                 const DeviceMesh& mesh) {
  double bytes = static_cast<double>(element_count(value.shape)) * value.element_bytes;
  if (const auto flat = flat_move(value.shape, from, to, mesh)) {
    SentOver all{.axes = "", .kind = kind_of(flat->from, flat->to)};
    for (const MeshAxis& axis : mesh)
      if (axis.size > 1) all.axes += (all.axes.empty() ? "" : "+") + axis.name;
    all.bytes = by_a_ring(all.kind, bytes, static_cast<double>(rank_count(mesh)));
    return {all};
  }
  for (std::size_t axis = 0; axis < mesh.size(); ++axis)
    if (splits(from[axis])) bytes /= mesh[axis].size;
  std::vector<SentOver> sent;
  for (const Move& move : route(from, to).moves) {
    const double ranks = mesh[move.axis].size;
    const bool gathers = splits(move.from) && !splits(move.to);
    if (gathers) bytes *= ranks;
    if (splits(move.from) || move.from.kind == Placement::Kind::partial) {
      const Collective kind = kind_of(move.from, move.to);
      sent.push_back({.axes = mesh[move.axis].name, .kind = kind, .bytes = by_a_ring(kind, bytes, ranks)});
    }
    if (splits(move.to) && !splits(move.from)) bytes /= ranks;
  }
  return sent;
}

std::string name_of(Collective kind) {
  switch (kind) {
    case Collective::all_gather: return "all_gather";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::all_reduce: return "all_reduce";
    case Collective::all_to_all: return "all_to_all";
  }
  return "";
}

Placements placements_named(const std::string& text) {
  Placements placements;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == 'R') placements.push_back(replicate());
    if (text[at] == 'P') placements.push_back(partial());
    if (text[at] == 'S') placements.push_back(shard(static_cast<int>(std::strtol(text.c_str() + at + 2, nullptr, 10))));
  }
  return placements;
}

}  // namespace ordercheck::placing
