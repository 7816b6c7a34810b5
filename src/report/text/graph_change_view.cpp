#include "report/text/graph_change_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "graph/change.h"
#include "report/text/graph_view.h"

namespace ordercheck {
namespace {

using captured::ChangedNode;
using captured::NodeChange;

struct Look {
  NodeChange change;
  const char* sign;   // of a line
  const char* style;  // of a box
};
constexpr std::array kLooks{
    Look{NodeChange::same, " ", "color=grey, fontcolor=grey"}, Look{NodeChange::added, "+", "color=darkgreen, penwidth=2"},
    Look{NodeChange::removed, "-", "color=red, style=dashed"}, Look{NodeChange::moved, ">", "color=blue, penwidth=2"},
    Look{NodeChange::rewired, "~", "color=orange, penwidth=2"}};

const Look& look_of(NodeChange change) { return *std::ranges::find(kLooks, change, &Look::change); }

// "bucket", "partition, dead_code": passes that ran on `after` but not on `before`.
std::string passes_between(const GraphChange& change) {
  const auto& ran = change.after.passes;
  const auto done = static_cast<std::ptrdiff_t>(std::min(change.before.passes.size(), ran.size()));
  return join(std::vector<std::string>(ran.begin() + done, ran.end()), ", ");
}

std::string sums_of(const std::vector<ChangedNode>& nodes) {
  const auto count = [&](NodeChange wanted) { return std::ranges::count(nodes, wanted, &ChangedNode::change); };
  return fmt::format("{} removed, {} added, {} moved, {} handed something else, {} as before", count(NodeChange::removed),
                     count(NodeChange::added), count(NodeChange::moved), count(NodeChange::rewired), count(NodeChange::same));
}

std::string half_in_lines(const GraphChange& change, const std::vector<ChangedNode>& nodes, bool backward) {
  std::string text = backward ? "backward\n" : "forward\n";
  int alike = 0;
  const auto fold = [&] {
    if (alike > 0) text += fmt::format("  ... {} as before\n", counted(alike, "operator"));
    alike = 0;
  };
  for (const ChangedNode& one : nodes) {
    if (one.node.backward != backward) continue;
    if (one.change == NodeChange::same) {
      ++alike;
      continue;
    }
    fold();
    const GraphRecord& graph = one.change == NodeChange::removed ? change.before : change.after;
    text += fmt::format("{} {}\n", look_of(one.change).sign, render_node(graph, one.node));
  }
  fold();
  return text;
}

// Draws one GraphChange into the Graphviz picture, with nodes named c<change>n<node>.
class ChangePicture {
 public:
  ChangePicture(const GraphChange& change, std::size_t index)
      : change_(change), index_(index), nodes_(captured::change_between(change.before, change.after)) {
    find_makers();
  }

  std::string render() const {
    std::string text = fmt::format("  subgraph cluster_{} {{\n    label=\"{}: {}\";\n", index_, region_of(change_.after),
                                   passes_between(change_));
    const std::set<std::size_t> shown = shown_nodes();
    for (const bool backward : {false, true}) {
      text += fmt::format("    subgraph cluster_{}_{} {{\n      label=\"{}\";\n", index_, backward ? "backward" : "forward",
                          backward ? "backward" : "forward");
      for (const std::size_t at : shown)
        if (nodes_[at].node.backward == backward) text += box(at);
      text += "    }\n";
    }
    for (const std::size_t at : shown)
      for (const std::size_t from : sources(at))
        if (shown.contains(from)) text += edge(from, at);
    return text + "  }\n";
  }

 private:
  void find_makers() {
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      for (const int value : nodes_[at].node.results) {
        if (nodes_[at].change != NodeChange::added) made_before_[value] = at;
        if (nodes_[at].change != NodeChange::removed) made_after_[value] = at;
      }
    }
  }

  // The producers of the node's operands. A removed node reads values of the graph before the passes.
  std::set<std::size_t> sources(std::size_t at) const {
    const auto& makers = nodes_[at].change == NodeChange::removed ? made_before_ : made_after_;
    std::set<std::size_t> found;
    for (const int value : nodes_[at].node.operands)
      if (const auto maker = makers.find(value); maker != makers.end()) found.insert(maker->second);
    return found;
  }

  std::set<std::size_t> shown_nodes() const {
    std::set<std::size_t> shown;
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      const bool changed = nodes_[at].change != NodeChange::same;
      if (changed) shown.insert(at);
      for (const std::size_t from : sources(at)) {
        if (changed) shown.insert(from);
        if (nodes_[from].change != NodeChange::same) shown.insert(at);
      }
    }
    return shown;
  }

  std::string box(std::size_t at) const {
    const GraphNodeRecord& node = nodes_[at].node;
    return fmt::format("      c{}n{} [label=\"{}{}\", {}];\n", index_, at, short_op(node.op),
                       node.bucket.empty() ? "" : " of " + node.bucket, look_of(nodes_[at].change).style);
  }

  std::string edge(std::size_t from, std::size_t to) const {
    const bool same = nodes_[from].change == NodeChange::same && nodes_[to].change == NodeChange::same;
    return fmt::format("    c{0}n{1} -> c{0}n{2}{3};\n", index_, from, to, same ? " [color=grey]" : "");
  }

  const GraphChange& change_;
  std::size_t index_;
  std::vector<ChangedNode> nodes_;
  std::map<int, std::size_t> made_before_, made_after_;
};

}  // namespace

std::string render_change_text(const GraphChange& change) {
  const std::vector<ChangedNode> nodes = captured::change_between(change.before, change.after);
  return fmt::format("what {} changed of {}: {}\n", passes_between(change), region_of(change.after), sums_of(nodes)) +
         half_in_lines(change, nodes, false) + half_in_lines(change, nodes, true);
}

std::string render_changes_dot(const std::vector<GraphChange>& changes, const std::string& title) {
  std::string text = fmt::format(
      "digraph ordercheck {{\n  label=\"{}\";\n  labelloc=t;\n  node [shape=box, fontname=\"sans-serif\"];\n"
      "  fontname=\"sans-serif\";\n",
      title);
  for (std::size_t i = 0; i < changes.size(); ++i) text += ChangePicture(changes[i], i).render();
  return text + "}\n";
}

}  // namespace ordercheck
