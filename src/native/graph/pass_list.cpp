#include "native/graph/pass_list.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "native/graph/bucketing.h"
#include "native/graph/node_builder.h"
#include "native/graph/passes.h"
#include "native/graph/sharding_collectives.h"

namespace ordercheck::ranks {
namespace {

struct Pass {
  std::string_view name;
  void (*run)(Graph& graph);
};

constexpr std::array kPasses{Pass{"dead_code", remove_dead_nodes}, Pass{"common", merge_equal_nodes},
                             Pass{"partition", partition},         Pass{"auto_buckets", choose_buckets},
                             Pass{"bucket", bucket_collectives},   Pass{"overlap", overlap_collectives},
                             Pass{"reuse", reuse_buffers}};

const Pass& pass_named(const std::string& name) {
  const auto found = std::ranges::find(kPasses, name, &Pass::name);
  if (found == kPasses.end())
    throw std::invalid_argument(fmt::format("no pass '{}'; there are {}", name, join(pass_names(), ", ")));
  return *found;
}

}  // namespace

std::vector<std::string> usual_passes(const Graph& graph) {
  std::vector<std::string> names{"dead_code", "common", "partition", "dead_code"};
  if (has_buckets(graph)) names.insert(names.end(), {"auto_buckets", "bucket", "overlap"});
  return names;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : kPasses) names.emplace_back(pass.name);
  return names;
}

void run_passes(Graph& graph, const std::vector<std::string>& names, const std::function<void()>& behind_each) {
  for (const std::string& name : names) {
    pass_named(name).run(graph);
    graph.passes.push_back(name);
    behind_each();
  }
  // Recompute what forward saves: passes after the partition may have merged or removed the nodes that read a saved value.
  graph.saved = read_by_backward(graph);
}

void reuse_buffers(Graph& graph) {
  GraphRecord planned = describe(graph);
  planned.saved = read_by_backward(graph);
  graph.buffers = captured::plan_buffers(planned);
}

namespace {

struct Span {
  std::size_t start, wait;
};

// Returns the positions of all nodes that read a result of node `at` or a value computed from it, ascending.
std::vector<std::size_t> all_readers(const std::vector<Node>& nodes, const ValueUses& uses, std::size_t at) {
  std::set<std::size_t> found, next{at};
  while (!next.empty()) {
    const std::size_t node = *next.begin();
    next.erase(next.begin());
    for (const ValueId id : results(nodes[node]))
      for (const std::size_t reader : uses.readers(id))
        if (found.insert(reader).second) next.insert(reader);
  }
  return {found.begin(), found.end()};
}

// Returns the positions of each parameter all-gather and its wait, bucketed or not, sorted by wait.
std::vector<Span> gathers_in(const std::vector<Node>& nodes, const ValueUses& uses) {
  std::vector<Span> spans;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].name() != kGather || !nodes[at].unshards) continue;
    const auto& readers = uses.readers(results(nodes[at]).front());
    if (readers.size() == 1 && nodes[readers.front()].name() == kWait) spans.push_back({at, readers.front()});
  }
  std::ranges::sort(spans, {}, &Span::wait);
  return spans;
}

void prefetch(std::vector<Node>& nodes) {
  const ValueUses uses(nodes);
  const std::vector<Span> spans = gathers_in(nodes, uses);
  std::map<std::size_t, std::size_t> starts_before;  // by position of a wait: the next gather's start, to move before it
  std::set<std::size_t> moved;
  for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
    if (spans[i + 1].start < spans[i].wait) continue;
    starts_before[spans[i].wait] = spans[i + 1].start;
    moved.insert(spans[i + 1].start);
  }
  std::vector<Node> order;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (const auto start = starts_before.find(at); start != starts_before.end()) order.push_back(nodes[start->second]);
    if (!moved.contains(at)) order.push_back(nodes[at]);
  }
  nodes = std::move(order);
  put_makers_first(nodes);
}

// Returns the positions of each reduce-scatter of parameter gradients and its wait, bucketed or not. It is recognized by the
// operators after the wait: only ones with one operand, which lead to a gradient. Results of tensor-parallel reduce-scatters go
// into products instead.
std::vector<Span> scatters_in(const std::vector<Node>& nodes, const ValueUses& uses) {
  std::vector<Span> spans;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].name() != kReduceScatter) continue;
    const auto& readers = uses.readers(results(nodes[at]).front());
    if (readers.size() != 1 || nodes[readers.front()].name() != kWait) continue;
    const auto behind = all_readers(nodes, uses, readers.front());
    const auto only_shows = [&](std::size_t reader) {
      return operands(nodes[reader]).size() == 1 && !is_collective(nodes[reader]);
    };
    if (std::ranges::all_of(behind, only_shows)) spans.push_back({at, readers.front()});
  }
  return spans;
}

void wait_late(std::vector<Node>& nodes) {
  const ValueUses uses(nodes);
  const std::vector<Span> spans = scatters_in(nodes, uses);
  // By position of a node to delay: the reduce-scatter start after which it is moved; the later one if it depends on two.
  std::map<std::size_t, std::size_t> start_before;
  for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
    if (spans[i].wait > spans[i + 1].start) continue;
    start_before[spans[i].wait] = spans[i + 1].start;
    for (const std::size_t reader : all_readers(nodes, uses, spans[i].wait)) start_before[reader] = spans[i + 1].start;
  }
  std::map<std::size_t, std::vector<std::size_t>> behind;
  for (const auto& [node, start] : start_before) behind[start].push_back(node);
  std::vector<Node> order;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (!start_before.contains(at)) order.push_back(nodes[at]);
    for (const std::size_t one : behind[at]) order.push_back(nodes[one]);
  }
  nodes = std::move(order);
  put_makers_first(nodes);
}

}  // namespace

void overlap_collectives(Graph& graph) {
  prefetch(graph.forward);
  prefetch(graph.backward);
  wait_late(graph.backward);
}

}  // namespace ordercheck::ranks
