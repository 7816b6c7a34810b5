// Compilation of one module's call: its body is captured at the first call, and from then on replayed as one opaque
// operator beneath the module's hooks.
//
// Guards: another size, stride or dtype of an input, another need of a gradient, or another parameter in a slot captures again.
// A call inside somebody else's recording runs the body as it is, so the outer capture has it all. A graph break gives the
// capture up for good: the body runs eagerly from then on, and the body of each child that it calls is captured instead,
// as Dynamo goes on with the frames below one that it skipped. Breaks are counted with the rank and noted with reason.
#pragma once

#include <string>
#include <vector>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

struct CaptureOptions {
  bool full_graph = false;          // a break throws instead
  std::vector<std::string> passes;  // graph/pass_list.h; empty for the usual ones
};

// `module` must outlive its body, as it does: the body is its own.
void capture_body(Module& module, const CaptureOptions& options);

}  // namespace ordercheck::ranks
