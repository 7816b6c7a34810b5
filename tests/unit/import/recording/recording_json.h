// Writes recordings for tests: calls on the modules of a model of four blocks.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

// A call on one module. `site` is the JSON of a site without its place; the call at index i is at line i + 1 of train.py.
struct TestCall {
  std::string site;
  std::vector<std::string> modules;  // {""} for the model; {} for a call that is about no module
};

inline const std::vector<std::string> kBlocks{"layers.0", "layers.1", "layers.2", "layers.3"};

// `more`: further members of the file, each beginning with a comma.
inline std::string recording_json(const std::vector<TestCall>& calls, const std::string& more = "") {
  std::vector<std::string> sites, events;
  for (const TestCall& call : calls) {
    const std::size_t number = sites.size();
    sites.push_back(fmt::format(R"({{"user": {{"file": "train.py", "line": {}}}, {}}})", number + 1, call.site));
    for (const std::string& module : call.modules)
      events.push_back(fmt::format(R"({{"site": {}, "model": 0, "module": "{}", "class": "{}"}})", number, module,
                                   module.empty() ? "Net" : "Block"));
    if (call.modules.empty())
      events.push_back(fmt::format(R"({{"site": {}, "model": null, "module": null, "class": ""}})", number));
  }
  return fmt::format(R"json({{"schema": "ordercheck/recording/1", "state": "finished", "stepped": true, "ranks": 4,
 "versions": {{"torch": "2.15.0+cu132"}},
 "meshes": [{{"names": ["dp"], "sizes": [2]}}, {{"names": ["tp"], "sizes": [2]}}, {{"names": ["r", "s"], "sizes": [2, 2]}}],
 "sites": [{}],
 "models": [{{"class": "Net", "modules": {{"": {{"class": "Net", "count": 1}}, "emb": {{"class": "Embedding", "count": 1}},
   "layers.*": {{"class": "Block", "count": 4, "wrapped": 4, "compiled": 4, "checkpointed": 4, "recomputed": 4}},
   "layers.*.w1": {{"class": "Linear", "count": 4}}, "out": {{"class": "Linear", "count": 1}}}},
   "parameters": [{{"mesh": 0, "placements": ["S(0)"], "names": {{"layers.*.w1.weight": 4}}}}], "without_gradient": {{}}}}],
 "events": [{}]{}}})json",
                     join(sites, ",\n  "), join(events, ",\n  "), more);
}

inline std::string fsdp_site() { return R"("call": "fully_shard", "mesh": 0)"; }
inline std::string ac_site() { return R"("call": "checkpoint_wrapper", "options": {"checkpoint_impl": "NO_REENTRANT"})"; }
inline std::string compile_site() { return R"("call": "Module.compile", "options": {"backend": "inductor"})"; }
inline std::string tp_site(const std::string& plan) {
  return fmt::format(R"("call": "parallelize_module", "mesh": 1, "options": {{"plan": {{{}}}}})", plan);
}
inline std::string optimizer_site() { return R"("call": "optimizer", "options": {"class": "AdamW"})"; }

}  // namespace ordercheck
