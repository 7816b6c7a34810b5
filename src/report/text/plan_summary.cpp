#include "report/text/plan_summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/wording.h"
#include "graph/traffic.h"

namespace ordercheck {
namespace {

using placing::Placement;
using placing::Placements;

constexpr std::size_t kDearest = 3;
constexpr std::string_view kGradient = "gradient of parameter ";

std::string in_ms(double ns) { return fmt::format("{:.2f} ms", ns / 1e6); }

// "layers.12.attention" is "layers.*.attention".
std::string kind_of(const std::string& name) {
  std::vector<std::string> parts = split(name, '.');
  for (std::string& part : parts)
    if (!part.empty() && std::ranges::all_of(part, [](unsigned char letter) { return std::isdigit(letter) != 0; })) part = "*";
  return join(parts, ".");
}

std::string op_of(const PlanNodeRecord& node) { return node.name.substr(node.name.find(' ') + 1); }
bool has_name(const PlanNodeRecord& node) { return !node.parameter.empty(); }
bool is_shard(const Placement& placement) { return placement.kind == Placement::Kind::shard; }

// Whether the node's value is its first operand's: in other sizes, or in another dtype.
bool passes_on(const PlanNodeRecord& node) {
  return node.operands.size() == 1 && !node.results.empty() &&
         (placing::is_free(op_of(node)) || op_of(node) == "aten::_to_copy");
}

class Summary {
 public:
  Summary(const PlanRecord& plan, const std::string& title) : plan_(plan), title_(title) {
    for (const auto& [axis, size] : plan.mesh) mesh_.push_back({.name = axis, .size = size});
    users_.resize(plan.nodes.size());
    for (std::size_t at = 0; at < plan.nodes.size(); ++at)
      for (const PlanOperandRecord& operand : plan.nodes[at].operands)
        users_[static_cast<std::size_t>(operand.node)].push_back(static_cast<int>(at));
    for (const PlanNodeRecord& node : plan.nodes) {
      if (has_name(node)) parameters_.push_back(node.parameter);
      of_parameters_.push_back(has_name(node) ||
                               (!node.operands.empty() && std::ranges::all_of(node.operands, [&](const auto& operand) {
                                 return of_parameters_[static_cast<std::size_t>(operand.node)];
                               })));
    }
  }

  std::string text() const {
    return fmt::format("plan of {}: {}; costs of {}\n", title_, fmt::join(axes(), ", "), plan_.machine) + costs() + memory() +
           sent() + layers() + dearest() + gathers() + whole();
  }

 private:
  struct Moved {
    int node = 0;
    const PlanOperandRecord* operand = nullptr;
  };

  const PlanNodeRecord& node(int at) const { return plan_.nodes[static_cast<std::size_t>(at)]; }

  std::vector<std::string> axes() const {
    std::vector<std::string> words;
    for (const placing::MeshAxis& axis : mesh_) words.push_back(fmt::format("{} {}", axis.name, axis.size));
    return words;
  }

  std::vector<Moved> moves() const {
    std::vector<Moved> found;
    for (std::size_t at = 0; at < plan_.nodes.size(); ++at)
      for (const PlanOperandRecord& operand : plan_.nodes[at].operands)
        if (operand.source != operand.wanted) found.push_back({.node = static_cast<int>(at), .operand = &operand});
    return found;
  }

  double local_bytes(const PlanNodeRecord& of, const std::string& placements) const {
    const placing::Shape local = placing::local_shape(of.shape, placing::placements_named(placements), mesh_);
    return static_cast<double>(placing::element_count(local)) * of.element_bytes;
  }

  std::string costs() const {
    double run = 0, moved = 0;
    for (const PlanNodeRecord& each : plan_.nodes) run += static_cast<double>(each.run_ns);
    for (const Moved& move : moves()) moved += static_cast<double>(move.operand->move_ns);
    return fmt::format("  a step         {}: operators {}, redistributions {}, {} of them; nothing overlaps\n",
                       in_ms(run + moved), in_ms(run), in_ms(moved), moves().size());
  }

  // The node whose memory the value of this one uses.
  int base(int at) const {
    while (passes_on(node(at)) && op_of(node(at)) != "aten::_to_copy" &&
           node(at).operands[0].source == node(at).operands[0].wanted)
      at = node(at).operands[0].node;
    return at;
  }

  std::string memory() const {
    double parameters = 0, kept = 0;
    std::set<int> counted;
    for (std::size_t at = 0; at < plan_.nodes.size(); ++at) {
      const PlanNodeRecord& each = plan_.nodes[at];
      if (has_name(each)) parameters += local_bytes(each, each.results.front());
      if (!each.backward) continue;
      for (const PlanOperandRecord& operand : each.operands) {
        if (node(operand.node).backward || of_parameters_[static_cast<std::size_t>(operand.node)]) continue;
        const int of = base(operand.node);
        if (counted.insert(of).second) kept += local_bytes(node(of), node(of).results.front());
      }
    }
    return fmt::format("  memory a rank  {}: parameters {}, gradients {}, kept for backward {}\n",
                       in_bytes(2 * parameters + kept), in_bytes(parameters), in_bytes(parameters), in_bytes(kept));
  }

  std::vector<placing::SentOver> traffic(const Moved& move) const {
    const PlanNodeRecord& made = node(move.operand->node);
    return placing::traffic_of({.shape = made.shape, .element_bytes = made.element_bytes},
                               placing::placements_named(move.operand->source), placing::placements_named(move.operand->wanted),
                               mesh_);
  }

  std::string sent() const {
    std::map<std::string, std::map<std::string, std::pair<int, double>>> by_axes;
    for (const Moved& move : moves())
      for (const placing::SentOver& each : traffic(move)) {
        auto& [count, bytes] = by_axes[each.axes][placing::name_of(each.kind)];
        ++count;
        bytes += each.bytes;
      }
    std::string text;
    for (const auto& [over, kinds] : by_axes) {
      std::vector<std::string> parts;
      double all = 0;
      for (const auto& [kind, sums] : kinds) {
        parts.push_back(fmt::format("{} {} {}", sums.first, kind, in_bytes(sums.second)));
        all += sums.second;
      }
      text += fmt::format("  {:<13}  {} over {}: {}\n", text.empty() ? "sent by a rank" : "", in_bytes(all), over,
                          join(parts, ", "));
    }
    return text;
  }

  // What each axis splits where the value of the node `at` is first computed with; empty if nothing computes with it.
  std::vector<std::string> split_by_axes(int at) const {
    for (const int user : users_[static_cast<std::size_t>(at)]) {
      const PlanNodeRecord& reader = node(user);
      if (reader.backward) continue;
      if (passes_on(reader)) {
        if (auto found = split_by_axes(user); !found.empty()) return found;
        continue;
      }
      if (reader.results.empty()) continue;
      std::vector<std::string> words;
      for (std::size_t axis = 0; axis < mesh_.size(); ++axis) words.push_back(split_by(reader, at, axis));
      return words;
    }
    return {};
  }

  static std::string split_by(const PlanNodeRecord& reader, int parameter, std::size_t axis) {
    const Placement result = placing::placements_named(reader.results.front())[axis];
    if (result.kind == Placement::Kind::partial) return "inputs, then a sum";
    if (!is_shard(result)) return "nothing";
    if (splits_tokens(reader, result.dim)) return "tokens";
    for (const PlanOperandRecord& operand : reader.operands)
      if (operand.node == parameter && is_shard(placing::placements_named(operand.wanted)[axis])) return "features";
    return fmt::format("dim {}", result.dim);
  }

  // Values are [sequences, tokens, ...], and [sequences * tokens, features] in products.
  static bool splits_tokens(const PlanNodeRecord& node, int dim) { return dim == 0 || (dim == 1 && node.shape.size() > 2); }

  std::string layers() const {
    std::vector<std::vector<std::string>> rows;
    std::vector<int> counts;
    std::vector<std::string> names;  // of the first parameter of a row
    for (std::size_t at = 0; at < plan_.nodes.size(); ++at) {
      if (!has_name(plan_.nodes[at])) continue;
      const PlanNodeRecord& parameter = plan_.nodes[at];
      std::vector<std::string> row{kind_of(parameter.parameter), fmt::format("{}", fmt::join(parameter.shape, "x")),
                                   parameter.results.front()};
      const std::vector<std::string> words = split_by_axes(static_cast<int>(at));
      row.insert(row.end(), words.begin(), words.end());
      const auto same = std::ranges::find(rows, row);
      if (same != rows.end()) {
        ++counts[static_cast<std::size_t>(same - rows.begin())];
        continue;
      }
      rows.push_back(row);
      counts.push_back(1);
      names.push_back(parameter.parameter);
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].front() = counts[row] > 1 ? fmt::format("{} ({})", rows[row].front(), counts[row]) : names[row];
    std::vector<std::string> head{"parameter", "shape", "held as"};
    for (const placing::MeshAxis& axis : mesh_) head.push_back(axis.name + " splits");
    rows.insert(rows.begin(), head);
    return in_columns(rows);
  }

  // The parameter whose value, or whose gradient, is moved; "" if it is another value.
  std::string parameter_of(const Moved& move) const {
    int at = move.operand->node;
    while (passes_on(node(at))) at = node(at).operands.front().node;
    if (has_name(node(at))) return node(at).parameter;
    at = move.node;
    while (passes_on(node(at)) && users_[static_cast<std::size_t>(at)].size() == 1)
      at = users_[static_cast<std::size_t>(at)].front();
    const std::string& name = node(at).name;
    if (!name.starts_with(kGradient)) return "";
    const auto index = parse_integer(name.substr(kGradient.size()));
    return index && *index < static_cast<long long>(parameters_.size()) ? parameters_[static_cast<std::size_t>(*index)] : "";
  }

  std::string place_of(const Moved& move) const {
    const PlanNodeRecord& taker = node(move.node);
    if (node(move.operand->node).name.starts_with("tangent")) return "the gradient of the logits, backward";
    if (taker.name.starts_with("output")) return "the logits, forward";
    const std::string parameter = parameter_of(move);
    const std::string where = kind_of(parameter.empty() ? taker.module : parameter);
    const std::string half = taker.backward ? "backward" : "forward";
    return where.empty() ? fmt::format("{}, {}", half, op_of(taker)) : fmt::format("{}, {}", where, half);
  }

  std::string dearest() const {
    struct Sum {
      double ns = 0;
      int count = 0;
    };
    std::map<std::string, Sum> sums;
    for (const Moved& move : moves()) {
      std::vector<std::string> kinds;
      for (const placing::SentOver& each : traffic(move)) kinds.push_back(placing::name_of(each.kind) + " over " + each.axes);
      Sum& sum = sums[fmt::format("{}: {} to {}, {}", place_of(move), move.operand->source, move.operand->wanted,
                                  kinds.empty() ? "a slice" : join(kinds, ", "))];
      sum.ns += static_cast<double>(move.operand->move_ns);
      ++sum.count;
    }
    std::vector<std::pair<std::string, Sum>> order(sums.begin(), sums.end());
    std::ranges::stable_sort(order, [](const auto& one, const auto& other) { return one.second.ns > other.second.ns; });
    std::string text = order.empty() ? "" : "dearest redistributions\n";
    for (std::size_t at = 0; at < std::min(kDearest, order.size()); ++at)
      text += fmt::format("  {:>10}, {} of {}\n", in_ms(order[at].second.ns), order[at].second.count, order[at].first);
    return text;
  }

  // Where a value whose tokens are split over a batch axis becomes whole on it.
  std::string gathers() const {
    std::map<std::string, int> places;
    for (const Moved& move : moves()) {
      if (of_parameters_[static_cast<std::size_t>(move.operand->node)]) continue;
      const Placements from = placing::placements_named(move.operand->source),
                       to = placing::placements_named(move.operand->wanted);
      for (std::size_t axis = 0; axis < mesh_.size(); ++axis)
        if (mesh_[axis].name.starts_with("dp") && is_shard(from[axis]) && to[axis] == placing::replicate() &&
            splits_tokens(node(move.operand->node), from[axis].dim))
          ++places[fmt::format("{} at {}", mesh_[axis].name, place_of(move))];
    }
    std::vector<std::string> words;
    for (const auto& [place, count] : places) words.push_back(count > 1 ? fmt::format("{} ({})", place, count) : place);
    return fmt::format("tokens are gathered over a batch axis: {}\n", words.empty() ? "nowhere" : join(words, "; "));
  }

  std::string whole() const {
    if (plan_.replicated_operators.empty()) return "";
    return fmt::format("without a placement rule, so every rank computes the whole: {}\n",
                       fmt::join(plan_.replicated_operators, ", "));
  }

  const PlanRecord& plan_;
  const std::string& title_;
  placing::DeviceMesh mesh_;
  std::vector<std::vector<int>> users_;
  std::vector<std::string> parameters_;
  std::vector<bool> of_parameters_;  // made of parameters alone
};

}  // namespace

std::string render_plan_summary(const PlanRecord& plan, const std::string& title) { return Summary(plan, title).text(); }

}  // namespace ordercheck
