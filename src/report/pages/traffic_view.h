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

struct SentTable {
  std::string title;
  std::string engine;  // "torchtitan 0.2.2, cpu"
  std::string model;
  std::string steps;  // "10"
  std::vector<SentRow> rows;
};

// One a table of the engine's space of which anything was run.
std::vector<SentTable> sent_tables(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
