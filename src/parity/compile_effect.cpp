#include <string>
#include <string_view>

#include <fmt/format.h>

#include "parity/counters.h"
#include "parity/effect_families.h"

namespace ordercheck {
namespace {

constexpr std::string_view kOfCompile = "compile: ";
constexpr std::string_view kNoCode = "compile: without inductor";  // a note that an engine's compile left

}  // namespace

void show_captured(Showing& showing, const EffectRuns& runs) {
  const auto captures = runs.with.counters.graph_captures;
  const auto scope = runs.with.counters.products_in_scope, in_graphs = runs.with.counters.products_in_graphs;
  if (showing.measured("graphs captured", {captures})) {
    const std::string phrase = fmt::format("{} {} captured", captures, captures == 1 ? "graph" : "graphs");
    // A graph that is captured and never run compiles nothing.
    const bool told_by_products = is_measured(scope) && scope > 0;
    told_by_products ? showing.remark(phrase) : showing.expect(captures > 0, phrase);
  }
  if (showing.measured("matrix products in captured graphs", {scope, in_graphs}) && scope > 0)
    showing.expect_all(in_graphs, scope,
                       fmt::format("{} of {} matrix products of its scope ran in captured graphs", in_graphs, scope));
  for (const std::string& note : runs.with.notes)
    if (note.starts_with(kNoCode)) showing.remark(note.substr(kOfCompile.size()));
}

}  // namespace ordercheck
