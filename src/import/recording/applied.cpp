#include "import/recording/applied.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

bool is_number(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

std::string joined(const std::string& module, const std::string& path) {
  return module.empty() || path.empty() ? module + path : module + "." + path;
}

// The transform of a ParallelStyle, by the name of its class.
std::string transform_of_style(const std::string& style) {
  if (style.find("Expert") != style.npos) return "ep";
  if (style.find("ContextParallel") != style.npos) return "cp";
  return "tp";
}

std::string sharding_of(const RecordedSite& site, const Recording& recording) {
  if (!option(site, "dp_mesh_dims.shard").empty() || !option(site, "dp_mesh_dims.replicate").empty())
    return option(site, "dp_mesh_dims.replicate").empty() ? "fsdp" : "hsdp";
  return site.mesh && recording.meshes[*site.mesh].sizes.size() > 1 ? "hsdp" : "fsdp";
}

std::vector<std::string> degrees_above_one(const RecordedSite& site) {
  std::vector<std::string> names;
  for (const char* name : {"tp", "cp", "ep"})
    if (const auto degree = parse_integer(option(site, name)); degree && *degree > 1) names.emplace_back(name);
  return names;
}

std::string simple_fsdp_of(const std::string& mode) {
  if (mode == "hybrid_shard") return "simple_hsdp";
  return mode == "replicate" ? "simple_replicate" : "simple_fsdp";
}

// The transforms of a call; empty for a call that is no transform, "?" for one that no transform expresses.
std::vector<std::string> transforms_of(const RecordedSite& site, const Recording& recording) {
  const std::string& call = site.call;
  if (call == "fully_shard") return {sharding_of(site, recording)};
  if (call == "DistributedDataParallel") return {"ddp"};
  if (call == "replicate") return {"replicate"};
  if (call == "checkpoint_wrapper" || call == "composable checkpoint" || call == "checkpoint")
    return {option(site, "context_fn").empty() ? "ac" : "sac"};
  if (call == "torch.compile" || call == "Module.compile")
    return option(site, "disable") == "true" ? std::vector<std::string>{} : std::vector<std::string>{"compile"};
  if (call == "pipeline stage") return {"pp"};
  if (call == "context_parallel" || call == "context parallel attention") return {"cp"};
  if (call == "convert_to_float8_training" || call == "quantize_") return {"quantize"};
  if (call == "optimizer") return {"optimizer"};
  if (call == "autocast")
    return option(site, "enabled") == "true" ? std::vector<std::string>{"amp"} : std::vector<std::string>{};
  if (call == "torchtitan Module.parallelize") return degrees_above_one(site);
  if (call == "torchtitan data_parallel") return {simple_fsdp_of(option(site, "mode"))};
  if (call == "FullyShardedDataParallel" || call == "deepspeed.initialize") return {"?"};
  return {};
}

struct Collector {
  const Recording& recording;
  AppliedTransforms made = {};

  AppliedTransform& transform(const std::string& name) {
    const auto found = std::ranges::find(made.all, name, &AppliedTransform::name);
    if (found != made.all.end()) return *found;
    made.all.push_back({.name = name, .modules = {}, .events = {}});
    return made.all.back();
  }

  void reach(const std::string& name, std::size_t event, const std::string& module, bool is_known) {
    AppliedTransform& one = transform(name);
    one.modules.push_back({.event = event, .name = module, .is_known = is_known});
    if (one.events.empty() || one.events.back() != event) one.events.push_back(event);
  }

  void note(std::size_t event, const std::string& why, NoteKind kind = NoteKind::open) {
    const RecordedSite& site = recording.sites[recording.events[event].site];
    const NotUnderstood made_note{.text = site.call, .where = place_of(site), .why = why, .kind = kind};
    if (std::ranges::find(made.not_understood, made_note) == made.not_understood.end())
      made.not_understood.push_back(made_note);
  }

  void add_plan(std::size_t index, const RecordedSite& site, const std::string& module, bool is_known) {
    const bool has_missed_all = !site.plan.empty() && site.missed.size() == site.plan.size();
    for (const auto& [path, style] : site.plan)
      if (has_missed_all)
        reach(transform_of_style(style), index, module, is_known);
      else if (!contains(site.missed, path))
        reach(transform_of_style(style), index, joined(module, path), is_known);
    if (has_missed_all) return note(index, "none of the entries of its plan matched a module", NoteKind::ineffective);
    for (const std::string& path : site.missed)
      note(index, fmt::format("entry '{}' of its plan matched no module", path), NoteKind::remark);
  }

  void add(std::size_t index, std::size_t model) {
    const RecordedEvent& event = recording.events[index];
    const RecordedSite& site = recording.sites[event.site];
    const std::string module = event.module.value_or("");
    const bool is_known = event.model == model || event.class_name.empty();
    if (!event.raised.empty()) note(index, fmt::format("it raised {}", event.raised));
    if (site.call == "parallelize_module") return add_plan(index, site, module, is_known);
    const bool has_function = (site.call == "torch.compile" || site.call == "checkpoint") && event.class_name.empty();
    if (has_function)
      return note(index, "it is given a function, and not a module",
                  site.call == "torch.compile" ? NoteKind::remark : NoteKind::open);
    for (const std::string& name : transforms_of(site, recording)) {
      if (name == "?")
        note(index, "no transform for it; rules and runs are about FSDP2");
      else {
        if (site.call == "torch.compile") forget(name, module);
        reach(name, index, module, is_known);
      }
    }
  }

  // Fabric takes the wrapper of torch.compile off and wraps the module again in the end.
  void forget(const std::string& name, const std::string& module) {
    const auto found = std::ranges::find(made.all, name, &AppliedTransform::name);
    if (found == made.all.end()) return;
    std::erase_if(found->modules, [&](const ReachedModule& one) {
      return one.name == module && recording.sites[recording.events[one.event].site].call == "torch.compile";
    });
    std::erase_if(found->events, [&](std::size_t event) {
      return std::ranges::find(found->modules, event, &ReachedModule::event) == found->modules.end();
    });
  }
};

}  // namespace

namespace {

// The model of a pipeline's stage; nullopt without a pipeline.
std::optional<std::size_t> staged_model(const Recording& recording) {
  for (const RecordedEvent& event : recording.events)
    if (event.model && recording.sites[event.site].call == "pipeline stage") return event.model;
  return std::nullopt;
}

}  // namespace

AppliedTransforms applied_to(const Recording& recording, std::size_t model) {
  Collector collector{.recording = recording};
  // A stage may be a part of a copy. What was applied to the original came before the cut.
  const auto is_original = [&](std::size_t other) {
    return staged_model(recording) == model && recording.models[other].class_name == recording.models[model].class_name;
  };
  for (std::size_t at = 0; at < recording.events.size(); ++at)
    if (const RecordedEvent& event = recording.events[at]; !event.model || *event.model == model || is_original(*event.model))
      collector.add(at, model);
  return std::move(collector.made);
}

std::size_t main_model(const Recording& recording) {
  if (const auto staged = staged_model(recording)) return *staged;
  std::vector<int> calls(std::max<std::size_t>(recording.models.size(), 1));
  for (const RecordedEvent& event : recording.events)
    if (event.model) ++calls[*event.model];
  return static_cast<std::size_t>(std::ranges::max_element(calls) - calls.begin());
}

std::string pattern_of(const std::string& name) {
  std::vector<std::string> parts = split(name, '.');
  for (std::string& part : parts)
    if (is_number(part)) part = "*";
  return join(parts, ".");
}

std::string block_of(const std::string& name) {
  const std::vector<std::string> parts = split(name, '.'), patterns = split(pattern_of(name), '.');
  std::string block;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    block += (at == 0 ? "" : ".") + parts[at];
    if (patterns[at] == "*") return block;
  }
  return "";
}

bool holds(const std::string& outer, const std::string& inner) {
  if (outer.empty()) return true;
  const std::vector<std::string> above = split(outer, '.'), below = split(inner, '.');
  if (inner.empty() || above.size() > below.size()) return false;
  for (std::size_t at = 0; at < above.size(); ++at)
    if (above[at] != below[at] && above[at] != "*" && below[at] != "*") return false;
  return true;
}

std::string family_of(const std::string& pattern, const RecordedModel& model) {
  if (pattern.empty()) return "model";
  const std::vector<std::string> parts = split(pattern, '.');
  const std::string last = lower(parts.back());
  const auto found = model.modules.find(pattern);
  const std::string kind = found == model.modules.end() ? "" : found->second.class_name;
  if (std::ranges::any_of(parts, [](const std::string& part) { return lower(part).find("expert") != part.npos; }))
    return "experts";
  if (parts.back() == "*") return "blocks";
  if (contains(parts, "*")) return "in blocks";
  if (kind.find("Embedding") != kind.npos || last.find("emb") != last.npos || last == "wte") return "embedding";
  if (contains(std::vector<std::string>{"output", "lm_head", "head", "out", "embed_out"}, last)) return "head";
  return "other";
}

}  // namespace ordercheck
