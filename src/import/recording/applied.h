// Finds the transforms that the calls of a recording apply: one for each transform and model, with the modules that it reached.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/imported.h"
#include "import/recording/recording.h"

namespace ordercheck {

// One module that a transform reached.
struct ReachedModule {
  std::size_t event = 0;  // an index of Recording::events
  std::string name;       // "layers.0.attention.wq"; may have '*' segments of a plan; "" is the model
  bool is_known = true;   // false if the module is in no model: it died, or a copy of the model was trained
};

struct AppliedTransform {
  std::string name;  // "fsdp": a name of transforms.h, or "fsdp1" and others that have none
  std::vector<ReachedModule> modules;
  std::vector<std::size_t> events;  // in order, each once
};

// What each event applies. An event may apply several transforms (torchtitan's Module.parallelize) or none (a mesh).
struct AppliedTransforms {
  std::vector<AppliedTransform> all;          // by the first event
  std::vector<NotUnderstood> not_understood;  // calls that no transform expresses
};

// Reads the calls on the modules of one model, those on the model that a pipeline cut it from, and those on no module.
AppliedTransforms applied_to(const Recording& recording, std::size_t model);

// The model of a pipeline's stage, else that with the most recorded calls; 0 if there is no model.
std::size_t main_model(const Recording& recording);

// What a module is for: "model", "blocks", "experts", "embedding", "head", "in blocks" or "other". `pattern`: "layers.*".
std::string family_of(const std::string& pattern, const RecordedModel& model);

// "layers.*" of "layers.3".
std::string pattern_of(const std::string& name);

// "layers.0" of "layers.0.attention.wq"; "" for a module that is in no block. Of nested lists the outer one.
std::string block_of(const std::string& name);

// Whether `outer` is `inner` or holds it, by their names. A segment '*' matches any.
bool holds(const std::string& outer, const std::string& inner);

}  // namespace ordercheck
