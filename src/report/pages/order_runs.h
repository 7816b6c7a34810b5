// What runs showed of a recommended order in each version, and what stands against it there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// In one version of PyTorch. A stack is run with degrees of 2, and under the usual backend of compile.
struct OrderRun {
  std::string target;  // "pytorch 2.15.0"
  Stack stack;
  std::string seen;  // "equal"; "not run under inductor yet; without it differs"
  std::vector<std::string>
      blockers;  // "[CLA-017](../rules/...) (since 2.12.1): tp ... and compile of blocks are both applied": errors in it
  std::optional<Stack> cure;  // free of errors, every transform kept
  std::string cure_seen;
  bool holds = false;          // one of the two ran equal
  bool no_known_cure = false;  // it is blocked, and nothing keeps every transform, or what did was run and is not equal
  bool of_few_runs = false;    // neither of the two was run, on a release that is not the reader's
  std::vector<Stack> to_run;   // what would tell
};

// One a version of the reader's engine that there is evidence of, and that builds what the order holds. `sharding`: "fsdp", as in the order.
std::vector<OrderRun> order_runs(const Stack& order, const std::string& sharding, const Sources& sources,
                                 const std::vector<EngineRuns>& engines);

// There are runs, and none of the reader's engine that builds it: then nobody could run the order there.
bool nobody_builds(const std::string& sharding, const Sources& sources, const std::vector<EngineRuns>& engines);

// Why the recommended order of a page is no answer yet; empty when it is one. A line each: a transform that it lacks,
// or a version in which neither the order nor its cure ran equal, with the stacks to run.
std::vector<std::string> order_gaps(const Stack& order, const std::string& sharding, const Sources& sources,
                                    const std::vector<OrderRun>& runs);

}  // namespace ordercheck
