#include "import/recording/story.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "import/recording/applied.h"

namespace ordercheck {
namespace {

std::string in_words(const RecordedMesh& mesh) {
  std::vector<std::string> axes;
  for (std::size_t at = 0; at < mesh.sizes.size(); ++at)
    axes.push_back(at < mesh.names.size() ? fmt::format("{}={}", mesh.names[at], mesh.sizes[at])
                                          : fmt::format("{} ranks", mesh.sizes[at]));
  return join(axes, ",");
}

// "3 of layers.*" and "Transformer", each with the number of calls.
std::string modules_of(const std::vector<std::size_t>& events, const Recording& recording) {
  std::vector<std::string> order;
  std::map<std::string, int> counts;
  for (const std::size_t at : events) {
    const RecordedEvent& event = recording.events[at];
    if (event.class_name.empty()) continue;
    std::string name = event.module ? pattern_of(*event.module) : event.class_name + ", which is not in the model";
    if (name.empty()) name = event.class_name;
    if (++counts[name] == 1) order.push_back(name);
  }
  std::vector<std::string> parts;
  for (const std::string& name : order) parts.push_back(counts[name] == 1 ? name : fmt::format("{} {}", counts[name], name));
  return enumerated(parts);
}

std::string details_of(const RecordedSite& site, const Recording& recording) {
  std::vector<std::string> parts;
  if (site.mesh) parts.push_back("mesh " + in_words(recording.meshes[*site.mesh]));
  if (!site.plan.empty())
    parts.push_back("plan of " + counted(static_cast<std::int64_t>(site.plan.size()), "entry", "entries"));
  if (!site.missed.empty()) parts.push_back(fmt::format("no module for {}", enumerated(site.missed)));
  for (const auto& [name, value] : site.options)
    if (!value.empty()) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, ", ");
}

std::vector<std::string> calls_of(const Recording& recording) {
  std::vector<std::size_t> order;
  std::map<std::size_t, std::vector<std::size_t>> by_site;
  for (std::size_t at = 0; at < recording.events.size(); ++at) {
    std::vector<std::size_t>& events = by_site[recording.events[at].site];
    if (events.empty()) order.push_back(recording.events[at].site);
    events.push_back(at);
  }
  std::vector<std::string> lines;
  for (const std::size_t number : order) {
    const RecordedSite& site = recording.sites[number];
    const std::vector<std::size_t>& events = by_site[number];
    const std::string modules = modules_of(events, recording), details = details_of(site, recording);
    std::string line = fmt::format("{:2}. {}", lines.size() + 1, site.call);
    if (!modules.empty()) line += " on " + modules;
    if (!details.empty()) line += ": " + details;
    if (const std::string& raised = recording.events[events.back()].raised; !raised.empty()) line += "; raised " + raised;
    lines.push_back(fmt::format("{}  [{}]", line, places_in_words(site)));
  }
  return lines;
}

std::vector<std::string> first_step_of(const Recording& recording) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) { lines.push_back("- " + std::move(line)); };
  const bool compiles = std::ranges::any_of(recording.events, [&](const RecordedEvent& event) {
    return !event.class_name.empty() && recording.sites[event.site].call.ends_with(".compile");
  });
  if (recording.graphs && (compiles || recording.graphs->graphs > 0))
    add(fmt::format("torch.compile captured {} of {} calls, with {}", counted(recording.graphs->graphs, "graph"),
                    recording.graphs->calls,
                    counted(static_cast<std::int64_t>(recording.graphs->breaks.size()), "graph break")));
  for (const RecordedModel& model : recording.models) {
    for (const auto& [pattern, row] : model.modules)
      if (row.checkpointed > 0)
        add(fmt::format("backward recomputed {} of {} checkpointed {}", row.recomputed, row.checkpointed,
                        pattern.empty() ? model.class_name : pattern));
    for (const RecordedLayout& layout : model.parameters) {
      int count = 0;
      for (const auto& [name, one] : layout.names) count += one;
      const std::string where =
          layout.mesh ? fmt::format("on mesh {}: {}", in_words(recording.meshes[*layout.mesh]), join(layout.placements, ", "))
                      : "plain tensors";
      add(fmt::format("{} of {}: {}", counted(count, "parameter"), model.class_name, where));
    }
  }
  for (const RecordedOptimizer& one : recording.optimizers) {
    const auto& options = recording.sites[recording.events[one.event].site].options;
    const auto kind = options.find("class");
    add(fmt::format("{} holds {}, {} of them in no model; it {}", kind == options.end() ? "an optimizer" : kind->second,
                    counted(one.parameters, "parameter"), one.not_in_model, one.has_stepped ? "stepped" : "did not step"));
  }
  return lines;
}

}  // namespace

std::string tell_recording(const Recording& recording) {
  std::vector<std::string> versions;
  for (const auto& [name, version] : recording.versions) versions.push_back(fmt::format("{} {}", name, version));
  std::string text = fmt::format("A job on {}, with {}.\n\n", counted(recording.ranks, "rank"), join(versions, ", "));
  text += join(calls_of(recording), "\n") + "\n";
  if (recording.has_stepped) text += "\nThe first step:\n" + join(first_step_of(recording), "\n") + "\n";
  if (!recording.has_stepped) text += "\nNo optimizer stepped while the job was recorded.\n";
  if (!recording.raised.empty())
    text += fmt::format("The job ended with {}{}.\n", recording.raised,
                        recording.raised_at ? " at " + ordercheck::in_words(*recording.raised_at) : "");
  if (!recording.absent.empty()) text += fmt::format("This release of torch lacks {}.\n", enumerated(recording.absent));
  for (const std::string& problem : recording.problems) text += fmt::format("The recorder failed: {}\n", problem);
  return text;
}

}  // namespace ordercheck
