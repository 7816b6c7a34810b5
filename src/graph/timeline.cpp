#include "graph/timeline.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "graph/costs.h"
#include "graph/lifetimes.h"

namespace ordercheck::captured {
namespace {

constexpr const char* kReceive = "ordercheck::recv";
constexpr const char* kSend = "ordercheck::send";

double bytes_of_all(const GraphRecord& graph, const std::vector<int>& values) {
  double bytes = 0;
  for (const int value : values) bytes += static_cast<double>(bytes_of(graph, value));
  return bytes;
}

bool says(const GraphNodeRecord& node, const char* word) { return node.op.find(word) != std::string::npos; }

// A broadcast costs as much as an all-gather of the same size.
double collective_time_us(const GraphRecord& graph, const GraphNodeRecord& node, const placing::Link& link) {
  const double in = bytes_of_all(graph, node.operands), out = bytes_of_all(graph, node.results);
  const int ranks = std::max(node.ranks, 1);
  if (says(node, "all_reduce")) return placing::collective_us(placing::Collective::all_reduce, in, ranks, link);
  if (says(node, "reduce_scatter")) return placing::collective_us(placing::Collective::reduce_scatter, in, ranks, link);
  if (says(node, "all_to_all")) return placing::collective_us(placing::Collective::all_to_all, in, ranks, link);
  return placing::collective_us(placing::Collective::all_gather, out, ranks, link);
}

Nanoseconds in_ns(double us) { return std::llround(us * 1000); }

class Streams {
 public:
  Streams(const std::vector<GraphRecord>& graphs, const placing::Machine& machine) : graphs_(graphs), machine_(machine) {}

  Status run(std::size_t graph, const GraphNodeRecord& node) {
    if (is_start(node)) {
      start(graph, node, in_ns(collective_time_us(graphs_[graph], node, machine_.links.front())));
    } else if (node.op == kReceive) {
      const placing::Link& link = machine_.links.front();
      start(graph, node, in_ns(link.latency_us + bytes_of_all(graphs_[graph], node.results) / link.bytes_per_us));
      wait(graph, node.results);
    } else if (node.op == kWait) {
      wait(graph, node.operands);
    } else if (node.op != kSend) {
      return compute(graphs_[graph], node);
    }
    return Done{};
  }

  Timeline timeline() const {
    Timeline line = line_;
    line.step = now_;
    return line;
  }

 private:
  void start(std::size_t graph, const GraphNodeRecord& node, Nanoseconds takes) {
    Nanoseconds& free = free_[node.group];
    free = std::max(free, now_) + takes;
    for (const int value : node.results) ends_[{graph, value}] = free;
    line_.sending += takes;
    if (!node.bucket.empty()) ++line_.buckets;
  }

  void wait(std::size_t graph, const std::vector<int>& values) {
    for (const int value : values) {
      const auto end = ends_.find({graph, value});
      if (end == ends_.end() || end->second <= now_) continue;
      line_.exposed += end->second - now_;
      now_ = end->second;
    }
  }

  Status compute(const GraphRecord& graph, const GraphNodeRecord& node) {
    // Nodes that only return views cost nothing.
    const bool only_shows = !node.results.empty() && std::ranges::all_of(node.results, [&](int value) {
      return graph.view_of[static_cast<std::size_t>(value)] != -1;
    });
    if (only_shows || placing::is_free(node.op)) return Done{};
    std::vector<placing::Shape> operands;
    for (const int value : node.operands) operands.push_back(graph.shapes[static_cast<std::size_t>(value)]);
    const int element = node.operands.empty() ? 0 : graph.element_bytes[static_cast<std::size_t>(node.operands.front())];
    const double bytes = bytes_of_all(graph, node.operands) + bytes_of_all(graph, node.results);
    const auto us = placing::kernel_us(node.op, operands, bytes, element, machine_);
    if (!us) return us.error();
    line_.computing += in_ns(*us);
    now_ += in_ns(*us);
    return Done{};
  }

  const std::vector<GraphRecord>& graphs_;
  const placing::Machine& machine_;
  Timeline line_;
  Nanoseconds now_ = 0;                                      // current time of the compute stream
  std::map<std::string, Nanoseconds> free_;                  // when each group's stream is idle again
  std::map<std::pair<std::size_t, int>, Nanoseconds> ends_;  // end of pending communication, by graph and value
};

}  // namespace

// An H100 mesh with a single axis, whose link stands for every process group.
placing::Machine stated_machine() { return placing::h100({{"any group", 1}}); }

Result<Timeline> timeline_of(const std::vector<GraphRecord>& graphs, const placing::Machine& machine) {
  Streams streams(graphs, machine);
  for (const StepNode& at : step_of(graphs))
    if (Status ran = streams.run(at.graph, graphs[at.graph].nodes[at.node]); !ran) return ran.error();
  return streams.timeline();
}

namespace {

struct PassName {
  std::string name;
  int time = 1;
};

std::optional<PassName> parse_pass(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return PassName{.name = text};
  int time = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, time);
  if (error != std::errc{} || stop != end || time < 1) return std::nullopt;
  return PassName{.name = text.substr(0, colon), .time = time};
}

}  // namespace

std::vector<Stages> captures_of(const std::vector<GraphRecord>& graphs) {
  std::vector<Stages> captures;
  for (const GraphRecord& graph : graphs) {
    if (graph.passes.empty() || captures.empty()) captures.emplace_back();
    captures.back().push_back(graph);
  }
  return captures;
}

Result<std::size_t> place_of_pass(const std::vector<std::string>& ran, const std::string& name) {
  if (const auto wanted = parse_pass(name)) {
    int time = 0;
    for (std::size_t place = 0; place < ran.size(); ++place)
      if (ran[place] == wanted->name && ++time == wanted->time) return place;
  }
  return Error{fmt::format("the pass '{}' did not run; these did, in this order: {}", one_line(name),
                           ran.empty() ? "none" : join(ran, ", "))};
}

}  // namespace ordercheck::captured
