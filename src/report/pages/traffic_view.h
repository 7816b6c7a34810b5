// What stacks send, laid side by side: the space's tables of traffic.
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

// In all microbatches of a run.
struct SentCounts {
  std::int64_t gathers = 0, gathers_again = 0, scatters = 0, reduces = 0, bytes = 0;
  std::int64_t microbatches = 1;
};

// Whether a microbatch has as many collectives of each kind, whatever the bytes.
bool sends_as_often(const SentCounts& a, const SentCounts& b);

// Collectives of rank 0 in one microbatch, those of tensor parallelism left out. "" where the run did not complete.
struct SentRow {
  std::string stack;                   // "`simple_fsdp=4,compile@model`"
  std::string verdict;                 // "equal"
  std::string gathers, gathers_again;  // all_gather in forward; and in backward, or in a recomputation
  std::string scatters, reduces;       // reduce_scatter and all_reduce, mostly in backward
  std::string bytes;                   // that this rank handed in to all of them: "1 234"
  Stack of;                            // as the table asked for it: `stack` may name its optimizer besides
  std::optional<SentCounts> counts;    // nothing where the run did not complete
};

std::string in_short(const SentRow& row);  // "21 / 20 / 21 / 0"; of a run that completed

// What the captured graphs of a step take on a stated machine (captured/timeline.h), each graph once, and what a run was seen to hold.
// "" where no graph was captured.
struct TakenRow {
  std::string stack;
  std::string buckets;
  std::string step, exposed;      // microseconds, in tenths: "2714.1"
  std::string held;               // bytes that the graphs make and hold at once
  std::string saved, parameters;  // bytes seen: saved for backward, and of parameters, gathered ones among them
};

// A row beside what the other engine sent for the same stack.
struct BesideRow {
  std::string stack, gathers, gathers_again, scatters, reduces;  // as in its SentRow
  std::string there;  // likewise, in one: "21 / 20 / 21 / 0"; where stacks that are the same there sent others: "...; ..."
  std::string says;   // "agrees", or why not: "... [EFF-006](../rules/...)"; "" where nothing says why
};

struct BesideTable {
  std::string engine;  // "mine 2.0.0"
  std::string model;
  std::string models;  // how the two models differ
  std::vector<BesideRow> rows;
  std::vector<std::string> only_here, only_there;  // stacks whose like has no run that completed
};

struct SentTable {
  std::string title;
  std::string engine;  // "torchtitan 0.2.2, cpu"
  std::string model;
  std::string steps;  // "10"
  std::vector<SentRow> rows;
  std::vector<TakenRow> taken;           // of the same stacks; none where no graph of them was timed
  std::vector<BesideTable> beside = {};  // one at most; lay_beside fills it
};

// One a table of the engine's space of which anything was run.
std::vector<SentTable> sent_tables(const Sources& sources, const EngineRuns& engine);

// What stacks send beside what the ranks of another engine sent for the same: the tables of traffic that name one. Of both engines
// the newest version that decides is meant. Stacks are the same where they differ at most in the backend of a compile. Collectives
// are counted in one microbatch; bytes are not compared, as the models may have other sizes.

// Fills `beside` of an engine's tables. None where either side has no run, or the engine is not the one that is meant.
void lay_beside(std::vector<SentTable>& tables, const Sources& sources, const EngineRuns& engine,
                const std::vector<EngineRuns>& engines);

// Refuses a table that no engine has, a row that differs and nothing says why, a reason for one that agrees or that is not there, and
// an unknown page. A table of an engine without runs is not looked for.
Status check_beside(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
