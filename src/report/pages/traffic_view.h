// Compares the collective traffic of stacks: the traffic tables of the space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "stack/stack.h"

namespace ordercheck {

// Numbers of collectives and bytes, added up over all microbatches of a run.
struct SentCounts {
  std::int64_t gathers = 0, gathers_again = 0, scatters = 0, reduces = 0, bytes = 0;
  std::int64_t microbatches = 1;
};

// Whether the numbers of collectives per microbatch are equal for each kind. Ignores bytes.
bool sends_as_often(const SentCounts& a, const SentCounts& b);

// Collectives of rank 0 in one microbatch, without the groups in leave_out. Counts are "" if the run did not complete.
struct SentRow {
  std::string stack;                   // "`simple_fsdp=4,compile@model`"
  std::string verdict;                 // "equal"
  std::string gathers, gathers_again;  // all_gather in forward; in backward or recomputation
  std::string scatters, reduces;       // reduce_scatter and all_reduce, mostly in backward
  std::string bytes;                   // sent by this rank in all of them: "1 234"
  Stack of;                            // the stack as in the space's table; the text `stack` may add the optimizer
  std::optional<SentCounts> counts;    // nullopt if the run did not complete
};

std::string in_short(const SentRow& row);  // "21 / 20 / 21 / 0"; for a completed run

// The time of a step's captured graphs, simulated for an H100 (graph/timeline.h), and memory measured in the run. Texts are ""
// if no graph was captured.
struct TakenRow {
  std::string stack;
  std::string buckets;
  std::string step, exposed;      // microseconds with one decimal: "2714.1"
  std::string held;               // peak bytes of the values that the graphs allocate
  std::string saved, parameters;  // measured peaks: saved for backward; parameters including gathered ones
};

// One stack with its counts on this engine, and on the other engine of the comparison ("there").
struct BesideRow {
  std::string stack, gathers, gathers_again, scatters, reduces;  // as in its SentRow
  std::string there;  // "21 / 20 / 21 / 0" there; "...; ..." if equivalent stacks there have different counts
  std::string says;   // "agrees", or the reason: "... [EFF-006](../rules/...)"; "" without a reason
};

struct BesideTable {
  std::string engine;  // "mine 2.0.0"
  std::string model;
  std::string models;  // how the models of the two differ
  std::vector<BesideRow> rows;
  std::vector<std::string> only_here, only_there;  // stacks without a completed counterpart
};

struct SentTable {
  std::string title;
  std::string engine;  // "torchtitan 0.2.2, cpu"
  std::string model;
  std::string steps;  // "10"
  std::vector<SentRow> rows;
  std::vector<TakenRow> taken;           // costs of the same stacks; empty if no graph was captured
  std::vector<BesideTable> beside = {};  // at most one; set by lay_beside
};

// One per [[traffic]] table of the engine's space that has a run.
std::vector<SentTable> sent_tables(const Sources& sources, const EngineRuns& engine);

// Compares traffic tables that have the key `beside` with the named table of another engine. Uses the newest version of both
// engines, unless `beside` names a version. Stacks are the same if they differ only in the backend of compile. Compares
// collectives per microbatch, not bytes, since the models may have different sizes.

// Sets SentTable::beside in an engine's tables. Leaves it empty if either side has no run, or if `engine` is not the newest
// version.
void lay_beside(std::vector<SentTable>& tables, const Sources& sources, const EngineRuns& engine,
                const std::vector<EngineRuns>& engines);

// Checks these comparisons. An error if `beside` names an unknown table, a reason names an unknown rule page, a differing row
// has no [[traffic.differs]] reason, or a reason is for equal rows. Skips tables of engines without runs.
Status check_beside(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
