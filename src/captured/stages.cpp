#include "captured/stages.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::captured {
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
