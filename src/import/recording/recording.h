// Reads a recording, the file that `ordercheck record` writes: which calls of PyTorch a job made, on which modules, in which
// order, and what its first step showed. The recorder is src/python/ordercheck/recorder/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

struct RecordedMesh {
  std::vector<std::string> names;  // empty for a mesh without names
  std::vector<int> sizes;
};

// One place in code with what its calls had in common.
struct RecordedSite {
  std::string call;                 // "fully_shard", "checkpoint_wrapper", ...: targets.py of the recorder lists them
  std::optional<Origin> user;       // the nearest frame of the user's code
  std::optional<Origin> framework;  // the nearest frame of an installed package, "torchtitan/train.py"
  std::optional<std::size_t> mesh;  // an index of Recording::meshes
  std::map<std::string, std::string> options;  // flat: "mp_policy.param_dtype"; true and false as words, lists joined by '+'
  std::map<std::string, std::string> plan;     // parallelize_module: module path -> class of its style
  std::vector<std::string> missed;             // entries of the plan that matched no module
};

struct RecordedEvent {
  std::size_t site = 0;
  std::optional<std::size_t> model;   // an index of Recording::models; unset if the module is in none, or died
  std::optional<std::string> module;  // its final name in the model, "" for the model itself
  std::string class_name;             // "" if the call is about no module
  std::string raised;                 // the class of an exception; "" if the call returned
};

// Modules whose names differ in numbers only: "layers.*".
struct RecordedModules {
  std::string class_name;
  int count = 0;
  int wrapped = 0;       // of them, within a CheckpointWrapper
  int compiled = 0;      // of them, compiled by a wrapper or in place
  int checkpointed = 0;  // of them, called under torch.utils.checkpoint
  int recomputed = 0;    // of them, run again by backward
};

// Parameters with one layout.
struct RecordedLayout {
  std::optional<std::size_t> mesh;      // unset for plain tensors
  std::vector<std::string> placements;  // "S(0)", one for each axis of the mesh
  std::map<std::string, int> names;     // by pattern: "layers.*.w1.weight"
};

struct RecordedModel {
  std::string class_name;
  std::map<std::string, RecordedModules> modules;
  std::vector<RecordedLayout> parameters;
  std::map<std::string, int> without_gradient;  // after the first backward
};

struct RecordedOptimizer {
  std::size_t event = 0;
  int parameters = 0;
  int not_in_model = 0;  // parameters that no model has
  bool has_stepped = false;
};

struct RecordedBreak {
  std::string why;
  std::optional<Origin> where;
};

// What torch.compile captured.
struct RecordedGraphs {
  int graphs = 0;
  int calls = 0;
  std::vector<RecordedBreak> breaks;
};

struct Recording {
  std::string state;         // "started", "stepped", "finished"
  bool has_stepped = false;  // an optimizer stepped
  int ranks = 1;
  std::map<std::string, std::string> versions;  // "torch" -> "2.15.0"
  std::vector<std::string> absent;              // functions that this release of torch lacks
  std::vector<RecordedMesh> meshes;
  std::vector<RecordedSite> sites;
  std::vector<RecordedEvent> events;  // in the order of the calls
  std::vector<RecordedModel> models;
  std::vector<RecordedOptimizer> optimizers;
  std::map<std::string, int> not_held;  // trained parameters of the models that no optimizer holds
  std::optional<RecordedGraphs> graphs;
  std::vector<std::string> problems;  // errors of the recorder
  std::string raised;                 // the class of the exception that ended the job; "" for none
  std::optional<Origin> raised_at;
};

// Whether the text begins as a recording does; parse_recording may still return an error.
bool is_recording(std::string_view text);

// Accepts any bytes. Errors are one line: "job.json: events[3].site: expected ...".
Result<Recording> parse_recording(std::string_view text, const std::string& file);

// The option's value; "" if it is not recorded.
std::string option(const RecordedSite& site, const std::string& name);

// The user's place of a call, else the framework's.
Origin place_of(const RecordedSite& site);

// "train.py:9 (torchtitan/models/llama3/parallelize.py:44)".
std::string places_in_words(const RecordedSite& site);

// The release of torch, without a local label: "2.15.0"; "" if it is not recorded.
std::string torch_of(const Recording& recording);

}  // namespace ordercheck
