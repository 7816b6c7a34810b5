#include "ranks/graph/pass_list.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "ranks/graph/auto_buckets.h"
#include "ranks/graph/bucketing.h"
#include "ranks/graph/passes.h"
#include "ranks/graph/reordering.h"

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
  // What a pass behind the partition merges or removes, forward keeps for nobody.
  graph.saved = read_by_backward(graph);
}

void reuse_buffers(Graph& graph) {
  GraphRecord planned = describe(graph);
  planned.saved = read_by_backward(graph);
  graph.buffers = captured::plan_buffers(planned);
}

}  // namespace ordercheck::ranks
