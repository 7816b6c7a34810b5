// What stacks send, laid side by side: the space's tables of traffic.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// Collectives of rank 0 in one microbatch, those of tensor parallelism left out. "" where the run did not complete.
struct SentRow {
  std::string stack;                   // "`simple_fsdp=4,compile@model`"
  std::string verdict;                 // "equal"
  std::string gathers, gathers_again;  // all_gather in forward; and in backward, or in a recomputation
  std::string scatters, reduces;       // reduce_scatter and all_reduce, mostly in backward
  std::string bytes;                   // that this rank handed in to all of them: "1 234"
};

// What the captured graphs of a step take on a stated machine (captured/timeline.h), each graph once, and what a run was seen to hold.
// "" where no graph was captured.
struct TakenRow {
  std::string stack;
  std::string buckets;
  std::string step, exposed;      // microseconds, in tenths: "2714.1"
  std::string held;               // bytes that the graphs make and hold at once
  std::string saved, parameters;  // bytes seen: saved for backward, and of parameters, gathered ones among them
};

struct SentTable {
  std::string title;
  std::string engine;  // "torchtitan 0.2.2, cpu"
  std::string model;
  std::string steps;  // "10"
  std::vector<SentRow> rows;
  std::vector<TakenRow> taken;  // of the same stacks; none where no graph of them was timed
};

// One a table of the engine's space of which anything was run.
std::vector<SentTable> sent_tables(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
