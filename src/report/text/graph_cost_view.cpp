#include "report/text/graph_cost_view.h"

#include <fmt/format.h>

#include "captured/lifetimes.h"
#include "captured/timeline.h"

namespace ordercheck {
namespace {

double in_us(captured::Nanoseconds ns) { return static_cast<double>(ns) / 1000; }

std::string cost_of(const GraphRecord& graph) {
  const auto line = captured::timeline_of({graph}, captured::stated_machine());
  if (!line) return line.error().message;
  return fmt::format(
      "{:.1f} us, of which compute waits {:.1f} us of the {:.1f} us that collectives take; {} bytes held at most",
      in_us(line->step), in_us(line->exposed), in_us(line->sending), captured::held_bytes_peak({graph}));
}

}  // namespace

std::string render_cost(const GraphRecord& graph) { return fmt::format("on a stated machine  {}\n", cost_of(graph)); }

std::string render_costs(const GraphChange& change) {
  return fmt::format("on a stated machine\n  before  {}\n  behind  {}\n", cost_of(change.before), cost_of(change.after));
}

}  // namespace ordercheck
