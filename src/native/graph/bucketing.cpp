#include "native/graph/bucketing.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <c10/util/accumulate.h>
#include <fmt/format.h>

#include "native/graph/node_builder.h"
#include "native/graph/sharding_collectives.h"

namespace ordercheck::ranks {
namespace {

using Bucket = std::vector<ShardingCollective>;
// Bucket name, group and dtype of a collective: only collectives with equal keys are merged.
using Key = std::tuple<std::string, std::string, at::ScalarType>;

// Returns the buckets with more than one collective, in the order of their first collective. Within a bucket, collectives are
// in the order of parameter registration.
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

// Edits to a node list, applied at once: new nodes to insert before a position, and positions to remove.
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

// Sets the bucket name of the merged collectives, so that later passes still recognize them.
std::vector<Node> named(std::vector<Node> nodes, const std::string& bucket) {
  for (Node& node : nodes)
    if (node.name() == kGather || node.name() == kReduceScatter) node.bucket = bucket;
  return nodes;
}

// Returns the nodes of a bucket's merged all-gather: concatenate this rank's pieces, gather, and copy each parameter out. In
// the gathered buffer [ranks, all pieces], a parameter is a range of columns.
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

// Returns the nodes of a bucket's merged reduce-scatter: concatenate all gradients as [ranks, all pieces], reduce-scatter, and
// slice this rank's piece of each gradient out of its row.
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

namespace {

bool multiplies_matrices(const Node& node) {
  const std::string& name = node.name();
  return name == "aten::mm" || name == "aten::bmm" || name == "aten::addmm" || name == "aten::baddbmm";
}

// Returns the FLOPs of a matrix product: each element of the result is a sum over the last dim of the left operand.
double flops_of(const Graph& graph, const Node& node) {
  const std::vector<ValueId> in = operands(node);
  const std::size_t left = in.size() == 3 ? 1 : 0;  // the first operand of addmm is the bias
  const ValueInfo& out = graph.values[results(node).front()];
  const double elements = static_cast<double>(out.bytes) / static_cast<double>(c10::elementSize(out.dtype));
  return 2 * elements * static_cast<double>(graph.values[in[left]].sizes.back());
}

struct Step {
  ShardingCollective gather;
  std::int64_t bytes = 0;  // size of the gathered parameter
  double compute = 0;      // time of the compute between this gather's start and the next one's
};

std::vector<Step> steps_of(const Graph& graph, const BucketModel& model) {
  std::vector<Step> steps;
  for (const ShardingCollective& gather : parameter_gathers(graph, graph.forward))
    if (gather.bucket == kAutoBucket)
      steps.push_back({.gather = gather, .bytes = graph.values[results(graph.forward[gather.wait]).front()].bytes});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t end = i + 1 < steps.size() ? steps[i + 1].gather.start : graph.forward.size();
    for (std::size_t at = steps[i].gather.start; at < end; ++at)
      steps[i].compute += compute_time(graph, graph.forward[at], model);
  }
  return steps;
}

}  // namespace

double compute_time(const Graph& graph, const Node& node, const BucketModel& model) {
  if (is_collective(node) || node.unshards || results(node).empty() || graph.values[results(node).front()].is_view) return 0;
  double moved = 0;
  for (const ValueId id : operands(node)) moved += static_cast<double>(graph.values[id].bytes);
  for (const ValueId id : results(node)) moved += static_cast<double>(graph.values[id].bytes);
  const double moving = moved / model.memory_bytes;
  const double multiplying = multiplies_matrices(node) ? flops_of(graph, node) / model.flops : 0;
  return std::max({model.launch, moving, multiplying});
}

void choose_buckets_by(Graph& graph, const BucketModel& model) {
  std::map<std::size_t, std::string> name_of_parameter;
  double hidden_behind = 0, computed = 0;
  std::int64_t held = 0;
  int number = -1;
  for (const Step& step : steps_of(graph, model)) {
    const double taken = model.collective_latency + static_cast<double>(held + step.bytes) / model.link_bytes;
    if (number < 0 || taken > hidden_behind || held + step.bytes > model.most_bytes) {
      ++number;
      hidden_behind = computed;
      held = 0;
      computed = 0;
    }
    held += step.bytes;
    computed += step.compute;
    name_of_parameter[step.gather.parameter] = fmt::format("{}.{}", kAutoBucket, number);
  }
  for (auto* nodes : {&graph.forward, &graph.backward})
    for (const ShardingCollective& gather : parameter_gathers(graph, *nodes))
      if (gather.bucket == kAutoBucket)
        (*nodes)[gather.start].bucket = name_of_parameter.contains(gather.parameter) ? name_of_parameter[gather.parameter] : "";
}

}  // namespace ordercheck::ranks
