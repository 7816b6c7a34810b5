// Compiles one module's call: captures its body at the first call, then replays it as one opaque operator inside the module's
// hooks.
//
// Guards: at each call, a graph is replayed only if the inputs have the sizes, strides, dtypes and requires_grad of its
// capture, and the module's slots hold the same parameters. Otherwise the body is captured again. A call inside an outer
// recording runs the body eagerly, so that the outer capture contains it. After a graph break the body always runs eagerly, and
// its children's bodies are captured instead, as Dynamo does with frames below a skipped one. The rank counts graph breaks and
// notes their reasons.
#pragma once

#include <string>
#include <vector>

#include "native/module/module.h"

namespace ordercheck::ranks {

struct CaptureOptions {
  bool full_graph = false;          // a graph break throws instead of falling back to eager
  std::vector<std::string> passes;  // graph passes to run, by the names in graph/pass_list.h; empty for the default ones
};

// Replaces the module's body by one that captures and replays the old one. The new body keeps a reference to `module`.
void capture_body(Module& module, const CaptureOptions& options);

}  // namespace ordercheck::ranks
