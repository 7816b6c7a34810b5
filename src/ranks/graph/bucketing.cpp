#include "ranks/graph/bucketing.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <c10/util/accumulate.h>

#include "ranks/graph/node_builder.h"
#include "ranks/graph/node_order.h"
#include "ranks/graph/sharding_collectives.h"

namespace ordercheck::ranks {
namespace {

using Bucket = std::vector<ShardingCollective>;
// Never sent together: what goes to other ranks, is of another dtype, or is named otherwise.
using Key = std::tuple<std::string, std::string, at::ScalarType>;

// Buckets of several, each in the order of registration; by their first member's place in the list.
std::vector<Bucket> buckets_of(const std::vector<ShardingCollective>& all) {
  std::map<Key, Bucket> by_key;
  for (const ShardingCollective& one : all)
    if (!one.bucket.empty()) by_key[{one.bucket, one.group, one.dtype}].push_back(one);
  std::vector<Bucket> buckets;
  for (auto& [key, bucket] : by_key)
    if (bucket.size() > 1) buckets.push_back(std::move(bucket));
  std::ranges::sort(buckets, {}, [](const Bucket& bucket) { return bucket.front().start; });
  for (Bucket& bucket : buckets) std::ranges::stable_sort(bucket, {}, &ShardingCollective::parameter);
  return buckets;
}

int64_t elements(const Graph& graph, ValueId id) { return c10::multiply_integers(graph.values[id].sizes); }

// What takes the place of a list's nodes: before a place come new ones, and some are gone or come elsewhere.
struct Surgery {
  std::map<std::size_t, std::vector<Node>> before;
  std::set<std::size_t> gone;

  void apply(std::vector<Node>& nodes) && {
    std::vector<Node> kept;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      for (Node& node : before[at]) kept.push_back(std::move(node));
      if (!gone.contains(at)) kept.push_back(std::move(nodes[at]));
    }
    nodes = std::move(kept);
    put_makers_first(nodes);
  }
};

// What is sent carries the bucket's name.
std::vector<Node> named(std::vector<Node> nodes, const std::string& bucket) {
  for (Node& node : nodes)
    if (node.name() == kGather || node.name() == kReduceScatter) node.bucket = bucket;
  return nodes;
}

// Each rank's pieces lie one behind another; of the gathered buffer [ranks, all pieces] a parameter is a band of columns.
std::vector<Node> gather_of(Graph& graph, const std::vector<Node>& nodes, const Bucket& bucket) {
  const Node& like = nodes[bucket.front().start];
  const int64_t ranks = like.arguments[1].constant.toInt();
  NodeBuilder build(graph, like);
  std::vector<ValueId> pieces;
  std::vector<int64_t> lengths;
  for (const ShardingCollective& one : bucket) {
    const ValueId piece = operands(nodes[one.start]).front();
    lengths.push_back(elements(graph, piece));
    pieces.push_back(build.view(piece, {lengths.back()}));
  }
  const ValueId sent = build.cat(pieces, 0);
  const ValueId all = build.view(build.wait(build.gather(sent, ranks, bucket.front().group)), {ranks, elements(graph, sent)});
  int64_t start = 0;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    const ValueId whole = results(nodes[bucket[i].wait]).front();
    const std::vector<int64_t> sizes = graph.values[whole].sizes;
    build.view(build.copy(build.slice(all, 1, start, lengths[i])), sizes, whole);
    start += lengths[i];
  }
  return named(std::move(build.made), bucket.front().bucket);
}

// The other way round: of each gradient [ranks, its piece] the columns lie side by side, and a rank gets its row, summed.
std::vector<Node> scatter_of(Graph& graph, const std::vector<Node>& nodes, const Bucket& bucket) {
  const Node& like = nodes[bucket.front().start];
  const int64_t ranks = like.arguments[2].constant.toInt();
  NodeBuilder build(graph, like);
  std::vector<ValueId> wholes;
  std::vector<int64_t> lengths;
  for (const ShardingCollective& one : bucket) {
    const ValueId whole = operands(nodes[one.start]).front();
    lengths.push_back(elements(graph, whole) / ranks);
    wholes.push_back(build.view(build.copy(whole), {ranks, lengths.back()}));
  }
  const ValueId columns = build.cat(wholes, 1);
  const ValueId sent = build.view(columns, {elements(graph, columns)});
  const ValueId mine = build.wait(build.reduce_scatter(sent, ranks, bucket.front().group));
  int64_t start = 0;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    const ValueId piece = results(nodes[bucket[i].wait]).front();
    const std::vector<int64_t> sizes = graph.values[piece].sizes;
    build.view(build.slice(mine, 0, start, lengths[i]), sizes, piece);
    start += lengths[i];
  }
  return named(std::move(build.made), bucket.front().bucket);
}

void bucket_gathers(Graph& graph, std::vector<Node>& nodes) {
  Surgery surgery;
  for (const Bucket& bucket : buckets_of(parameter_gathers(graph, nodes))) {
    const std::size_t first = std::ranges::min(bucket, {}, &ShardingCollective::start).start;
    for (Node& node : gather_of(graph, nodes, bucket)) surgery.before[first].push_back(std::move(node));
    for (const ShardingCollective& one : bucket) surgery.gone.insert({one.start, one.wait});
  }
  std::move(surgery).apply(nodes);
}

void bucket_scatters(Graph& graph, const std::vector<std::string>& bucket_of_parameter) {
  Surgery surgery;
  std::vector<Node>& nodes = graph.backward;
  for (const Bucket& bucket : buckets_of(gradient_scatters(graph, bucket_of_parameter))) {
    std::vector<Node>& here = surgery.before[std::ranges::max(bucket, {}, &ShardingCollective::start).start];
    for (Node& node : scatter_of(graph, nodes, bucket)) here.push_back(std::move(node));
    for (const ShardingCollective& one : bucket) {
      surgery.gone.insert({one.start, one.wait});
      for (const std::size_t at : one.to_gradient) {
        here.push_back(nodes[at]);
        surgery.gone.insert(at);
      }
    }
  }
  std::move(surgery).apply(nodes);
}

}  // namespace

bool has_buckets(const Graph& graph) {
  return std::ranges::any_of(graph.forward, [](const Node& node) { return !node.bucket.empty(); });
}

void bucket_collectives(Graph& graph) {
  std::vector<std::string> bucket_of_parameter(graph.parameters.size());
  for (const auto* nodes : {&graph.forward, &graph.backward})
    for (const ShardingCollective& one : parameter_gathers(graph, *nodes)) bucket_of_parameter[one.parameter] = one.bucket;
  bucket_gathers(graph, graph.forward);
  bucket_gathers(graph, graph.backward);
  bucket_scatters(graph, bucket_of_parameter);
}

}  // namespace ordercheck::ranks
