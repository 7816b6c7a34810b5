#include "import/recording/recorded_stack.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "import/reading.h"
#include "import/recording/applied.h"
#include "import/recording/effects.h"
#include "import/recording/order.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// Builds the items of the stack, each from the calls of one transform.
class ItemBuilder {
 public:
  ItemBuilder(const Recording& recording, const RecordedModel& model, const AppliedTransforms& applied, Imported& made)
      : recording_(recording), model_(model), made_(made) {
    for (const AppliedTransform& transform : applied.all)
      for (const ReachedModule& module : transform.modules)
        if (const std::string block = block_of(module.name); !block.empty() && !contains(block_lists_, pattern_of(block)))
          block_lists_.push_back(pattern_of(block));
  }

  // Adds the item of a transform in the notation; notes what the notation cannot express.
  void add(const AppliedTransform& transform) {
    transform_ = &transform;
    const RecordedSite& site = site_of(transform.events.front());
    std::string text = transform.name + degrees();
    if (transform.name == "pp") text += schedule();
    if (transform.name == "tp") text += tensor_parallel();
    if (transform.name == "ac" || transform.name == "sac") text += checkpointing();
    if (transform.name == "compile") text += compile();
    if (transform.name == "fsdp" || transform.name == "hsdp") text += sharding();
    if (transform.name == "amp") text += mode_of_dtype(option(site, "dtype"));
    if (transform.name == "quantize") text += quantize(site);
    if (transform.name == "optimizer") text += optimizer(site);
    if (const std::string backend = option(site, "spmd_backend"); contains(dtensor_backends(), backend))
      text += ":spmd=" + backend;
    const auto parsed = parse_stack(text, place_of(site));
    if (!parsed || parsed->items.size() != 1) return note(site, fmt::format("'{}' is no item of a stack", one_line(text)));
    note_left_out();
    made_.stack.items.push_back(parsed->items.front());
    made_.stack.items.back().origin = place_of(site);
    made_.package_places.push_back(site.user && site.framework ? in_words(*site.framework) : "");
  }

  void note(const RecordedSite& site, std::string why, NoteKind kind = NoteKind::open) {
    made_.not_understood.push_back({.text = site.call, .where = place_of(site), .why = std::move(why), .kind = kind});
  }

  static const std::vector<std::string>& dtensor_backends() {
    static const std::vector<std::string> all{"partial_dtensor", "full_dtensor"};
    return all;
  }

  const RecordedSite& site_of(std::size_t event) const { return recording_.sites[recording_.events[event].site]; }

  // FSDP2 shards over the axes of data and context parallelism; an item's degree is that of data alone.
  void divide_sharding_by_context() {
    long long product = 1, context = 1;
    Item* sharding = nullptr;
    for (Item& item : made_.stack.items) {
      if (item.name == "ep") continue;  // carved from the other axes
      for (const Degree& degree : item.degrees) product = std::min(product * degree.value, kMostImportedRanks);
      if (item.name == "cp" && !item.degrees.empty()) context = item.degrees.front().value;
      if ((item.name == "fsdp" || item.name == "hsdp") && !item.degrees.empty()) sharding = &item;
    }
    if (sharding == nullptr || product <= recording_.ranks) return;
    if (int& degree = sharding->degrees.back().value; degree % context == 0) degree /= static_cast<int>(context);
  }

 private:
  // Whether the transform reached a module of one of these families.
  bool reaches(const std::vector<std::string>& families) const {
    return std::ranges::any_of(transform_->modules, [&](const ReachedModule& module) {
      return contains(families, family_of(pattern_of(module.name), model_));
    });
  }

  int size_of_axis(const RecordedMesh& mesh, const std::string& names) const {
    long long size = 1;
    for (const std::string& name : split(names, '+'))
      if (const auto at = std::ranges::find(mesh.names, name); at != mesh.names.end())
        if (const auto index = static_cast<std::size_t>(at - mesh.names.begin()); index < mesh.sizes.size())
          size = std::min(size * mesh.sizes[index], kMostImportedRanks);
    return static_cast<int>(size);
  }

  std::string degrees() const {
    const RecordedSite& site = site_of(transform_->events.front());
    const std::string& name = transform_->name;
    if (name == "ac" || name == "sac" || name == "compile" || name == "optimizer" || name == "amp" || name == "quantize")
      return "";
    if (site.call == "torchtitan Module.parallelize") return "=" + option(site, name);
    if (!site.mesh) return "";
    const RecordedMesh& mesh = recording_.meshes[*site.mesh];
    const std::string shard = option(site, "dp_mesh_dims.shard"), replicate = option(site, "dp_mesh_dims.replicate");
    if (name == "hsdp" && !replicate.empty())
      return fmt::format("={}x{}", size_of_axis(mesh, replicate), size_of_axis(mesh, shard));
    if (name == "fsdp" && !shard.empty()) return fmt::format("={}", size_of_axis(mesh, shard));
    if (name == "hsdp" || name == "simple_hsdp") {
      if (mesh.sizes.size() != 2) return "";
      return fmt::format("={}x{}", mesh.sizes[0], mesh.sizes[1]);
    }
    long long size = 1;
    for (const int one : mesh.sizes) size = std::min(size * one, kMostImportedRanks);
    return fmt::format("={}", size);
  }

  std::string schedule() {
    for (std::size_t at = 0; at < recording_.events.size(); ++at) {
      const RecordedSite& site = site_of(at);
      if (site.call != "pipeline schedule") continue;
      std::string name = option(site, "class");
      if (const std::string prefix = "Schedule"; name.starts_with(prefix)) name.erase(0, prefix.size());
      std::string text = schedule_option(name);
      if (text.empty()) note(site, fmt::format("pp has no option for {}", option(site, "class")));
      if (text == ":1f1b") text = "";  // the default
      if (const std::string count = option(site, "n_microbatches"); !count.empty()) text += ":microbatches=" + count;
      return text;
    }
    return "";
  }

  std::string tensor_parallel() const {
    bool has_plan = false, has_sequence_parallel = false;
    for (const std::size_t event : transform_->events)
      for (const auto& [path, style] : site_of(event).plan) {
        has_plan = true;
        has_sequence_parallel = has_sequence_parallel || style.find("SequenceParallel") != style.npos;
      }
    if (!has_plan) return "";
    if (!reaches({"embedding", "head"})) return calls("distribute_module") ? ":plan=blocks" : ":plan=blocks:rest=plain";
    const std::string text = has_sequence_parallel ? "" : ":sp=off";
    return text + (calls("loss_parallel") ? ":loss_parallel" : "");
  }

  bool calls(const std::string& name) const {
    return std::ranges::any_of(recording_.events,
                               [&](const RecordedEvent& one) { return recording_.sites[one.site].call == name; });
  }

  // The numbers of the blocks that the transform reached, sorted; the pattern of the first one.
  std::pair<std::set<long long>, std::string> blocks() const {
    std::set<long long> numbers;
    std::string pattern;
    for (const ReachedModule& module : transform_->modules) {
      if (family_of(pattern_of(module.name), model_) != "blocks") continue;
      if (pattern.empty()) pattern = pattern_of(module.name);
      const auto number = parse_integer(split(module.name, '.').back());
      if (number && *number < kMostImportedRanks && pattern == pattern_of(module.name)) numbers.insert(*number);
    }
    return {numbers, pattern};
  }

  // ":n=3" if every third block is reached, from the third on; "" otherwise.
  std::string every_nth() const {
    const auto [numbers, pattern] = blocks();
    const auto found = model_.modules.find(pattern);
    if (numbers.empty() || found == model_.modules.end()) return "";
    const auto count = static_cast<std::size_t>(found->second.count);
    const long long step = *numbers.begin() + 1;
    bool is_regular = step > 1 && numbers.size() == count / static_cast<std::size_t>(step);
    long long expected = step - 1;
    for (const long long number : numbers) {
      is_regular = is_regular && number == expected;
      expected += step;
    }
    return is_regular ? fmt::format(":n={}", step) : "";
  }

  // Notes lists of blocks that the transform reaches in part, or not at all though others reach them.
  void note_left_out() {
    const std::vector<std::string> whole{"pp", "optimizer", "amp", "quantize"};
    if (contains(whole, transform_->name) || !every_nth().empty()) return;
    std::map<std::string, std::set<std::string>> reached;
    for (const ReachedModule& module : transform_->modules)
      if (const std::string block = block_of(module.name); !block.empty()) reached[pattern_of(block)].insert(block);
    if (reached.empty()) return;
    const RecordedSite& site = site_of(transform_->events.front());
    for (const std::string& pattern : block_lists_) {
      const auto found = model_.modules.find(pattern);
      if (found == model_.modules.end() || reached[pattern].contains(pattern)) continue;
      if (const auto count = static_cast<std::size_t>(found->second.count); reached[pattern].size() < count)
        note(site, fmt::format("{} reaches {} of {} {}", transform_->name, reached[pattern].size(), count, pattern));
    }
  }

  std::string checkpointing() {
    const RecordedSite& site = site_of(transform_->events.front());
    const std::string every = every_nth();
    std::string text = transform_->name == "ac" && !every.empty() ? "=selective" : "";
    if (every != ":n=2" || transform_->name == "sac") text += every;
    const bool is_reentrant = option(site, "use_reentrant") == "true" || option(site, "checkpoint_impl") == "REENTRANT";
    if (is_reentrant && transform_->name == "ac") text += ":reentrant";
    if (option(site, "preserve_rng_state") == "false") text += ":preserve_rng_state=off";
    return text + scope(site);
  }

  std::string compile() {
    const RecordedSite& site = site_of(transform_->events.front());
    const std::string backend = option(site, "backend");
    std::string text = backend == "aot_eager" ? "=aot_eager" : "";
    if (!contains(std::vector<std::string>{"", "inductor", "aot_eager"}, backend))
      note(site, fmt::format("its backend is {}, and a stack names inductor and aot_eager alone", backend), NoteKind::remark);
    if (site.call == "torch.compile") text += ":wrap";
    if (option(site, "fullgraph") == "true") text += ":fullgraph";
    return text + scope(site);
  }

  std::string sharding() {
    const RecordedSite& site = site_of(transform_->events.front());
    std::string text;
    for (const std::size_t event : transform_->events) {
      // The root keeps its parameters gathered whatever is asked for.
      if (family_of(pattern_of(recording_.events[event].module.value_or("")), model_) != "blocks") continue;
      const std::string reshard = option(site_of(event), "reshard_after_forward");
      if (reshard == "true") text = ":reshard=always";
      if (reshard == "false") text = ":reshard=never";
      if (parse_integer(reshard)) note(site, fmt::format("it reshards to {} ranks; a stack has no option for it", reshard));
      break;
    }
    const std::string mode = mode_of_dtype(option(site, "mp_policy.param_dtype"));
    if (!mode.empty()) text += ":mp" + mode;
    for (const std::size_t event : transform_->events)
      if (mode_of_dtype(option(site_of(event), "mp_policy.param_dtype")) != mode) {
        note(site_of(event), "its mixed precision differs between modules");
        break;
      }
    if (!mode.empty() && option(site, "mp_policy.reduce_dtype") != "float32")
      note(site, "it reduces gradients in the dtype of its parameters; fsdp:mp reduces them in float32", NoteKind::remark);
    if (option(site, "offload_policy").empty()) return text + scope(site);
    note(site, "it offloads parameters; no transform for it");
    return text + scope(site);
  }

  static std::string mode_of_dtype(const std::string& dtype) {
    if (dtype == "bfloat16") return "=bf16";
    return dtype == "float16" ? "=fp16" : "";
  }

  std::string quantize(const RecordedSite& site) {
    if (site.call == "convert_to_float8_training") return "=fp8";
    const std::string config = option(site, "config");
    for (const auto& [word, mode] : {std::pair{"MX", "=mxfp8"}, {"Float8", "=fp8"}, {"Int8", "=int8"}, {"Int4", "=int4"}})
      if (config.find(word) != config.npos) return mode;
    return "";
  }

  std::string optimizer(const RecordedSite& site) {
    std::string mode = lower(option(site, "class"));
    if (mode != "sgd" && mode != "adamw") mode = "";
    std::string text = mode.empty() ? "" : "=" + mode;
    // The threshold is no name, size or place, so that it is not recorded.
    if (calls("clip_grad_norm_")) text += ":clip=1";
    return text + (option(site, "foreach") == "false" ? ":foreach=off" : "");
  }

  // "@model" or "@block" if that is not the transform's default. Notes parts of blocks, for which there is no scope.
  std::string scope(const RecordedSite& site) {
    if (reaches({"blocks"})) return "";
    if (reaches({"experts"})) return "@experts";
    if (reaches({"in blocks"}) && transform_->name != "fsdp" && transform_->name != "hsdp")
      note(site, fmt::format("{} reaches parts of blocks, for which a stack has no scope", transform_->name));
    return "@model";
  }

  const Recording& recording_;
  const RecordedModel& model_;
  std::vector<std::string> block_lists_;  // patterns of blocks that a transform reached: "layers.*"
  Imported& made_;
  const AppliedTransform* transform_ = nullptr;
};

// The framework that applies transforms by functions of its own, with its release: "torchtitan-0.3.0"; "" if all are PyTorch's.
std::string framework_of(const Recording& recording) {
  for (const RecordedEvent& event : recording.events) {
    const std::string name = split(recording.sites[event.site].call, ' ').front();
    const auto& place = recording.sites[event.site].framework;
    const auto version = recording.versions.find(name);
    if (place && place->file.starts_with(name + "/") && version != recording.versions.end())
      return name + "-" + version->second;
  }
  return "";
}

// What a job that ended early leaves unknown.
void note_how_it_ended(const Recording& recording, Imported& made) {
  if (!recording.raised.empty())
    made.not_understood.push_back({.text = "the job",
                                   .where = recording.raised_at.value_or(Origin{}),
                                   .why = fmt::format("ended with {}", recording.raised)});
  if (!recording.has_stepped)
    made.not_understood.push_back(
        {.text = "the job", .where = {}, .why = "no optimizer stepped while it was recorded, so that effects are unknown"});
}

// An optimizer that is made last and without clipping is what every trainer has: a stack leaves it out.
bool is_usual_optimizer(const Stack& stack) {
  return !stack.items.empty() && stack.items.back().name == "optimizer" && stack.items.back().options.empty();
}

}  // namespace

Imported recorded_stack(const Recording& recording) {
  const std::size_t chosen = main_model(recording);
  static const RecordedModel none;
  const RecordedModel& model = recording.models.empty() ? none : recording.models[chosen];
  const AppliedTransforms applied = applied_to(recording, chosen);
  const RecordedOrder order = order_of(applied, recording);
  Imported made{
      .format = kRecordingFormat, .part = model.class_name, .order_from = "the recorded calls", .ranks = recording.ranks};
  made.project = framework_of(recording);
  if (const std::string torch = torch_of(recording); !torch.empty()) made.fallback = "pytorch-" + torch;
  made.not_understood = applied.not_understood;
  made.not_understood.insert(made.not_understood.end(), order.not_understood.begin(), order.not_understood.end());
  ItemBuilder builder(recording, model, applied, made);
  for (const AppliedTransform* transform : order.transforms) builder.add(*transform);
  builder.divide_sharding_by_context();
  if (is_usual_optimizer(made.stack)) {
    made.stack.items.pop_back();
    made.package_places.pop_back();
  }
  made.families = family_orders(order, recording, model);
  for (std::size_t other = 0; other < recording.models.size(); ++other)
    if (other != chosen && !applied_to(recording, other).all.empty())
      made.not_understood.push_back({.text = recording.models[other].class_name,
                                     .where = {},
                                     .why = "a second model of the job; its order is not judged"});
  const std::vector<NotUnderstood> effects = missing_effects(recording, model, order);
  made.not_understood.insert(made.not_understood.end(), effects.begin(), effects.end());
  note_how_it_ended(recording, made);
  for (const std::string& problem : recording.problems)
    made.not_understood.push_back({.text = "the recorder", .where = {}, .why = problem});
  return made;
}

}  // namespace ordercheck
