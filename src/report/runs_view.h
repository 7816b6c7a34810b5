// What an engine ran and saw: every case, every order of named sets, and what the legal orders cost.
#pragma once

#include <string>
#include <vector>

#include "report/engine_runs.h"
#include "report/set_view.h"
#include "report/sources.h"
#include "report/traffic_view.h"

namespace ordercheck {

// One case that was run.
struct RunRow {
  std::string text;     // "`tp=2,ac,fsdp=2`", with its settings where they are not the usual ones
  std::string verdict;  // "fails in apply"
  std::string seen;     // the message, or the first difference; "bitwise equal"
  std::string rules;    // pages that fire, linked; "none"
};

// Counters of one legal order, of rank 0, as the record counts them.
struct CostRow {
  std::string order;
  std::vector<std::string> cells;  // one a name in `cost_names`
};

struct TrafficRow {
  std::string order;
  std::string kind, group;                                         // "all_gather", "tp"
  std::string forward, recompute, backward, optimizer, elsewhere;  // how many; elsewhere: build, apply, observe
  std::string bytes;
};

struct ContradictionRow {
  std::string where;    // "native 2.11.0"
  std::string what;     // the case or the rule
  std::string claimed;  // "ORD-003 predicts differs; seen: fails"
  std::string seen;
  std::string explanation;  // of a page, or "no page explains it"
};

struct EngineView {
  std::string title;     // "native 2.11.0, cpu"
  std::string versions;  // "libtorch 2.11.0"
  std::string arithmetic;
  std::string builds;     // "`ac`, `fsdp`, `tp`": transforms that it has runs of
  std::string cases;      // "212"
  std::string verdicts;   // "180 equal, 32 fails"
  std::string agreement;  // "150 confirmed, 3 open, ..."
  std::vector<std::string> controls;
  std::string file;                     // of its page, in docs/evidence/: "pytorch-2.15.0.md"
  std::vector<RunRow> runs;             // every case, in the order of the table
  std::vector<SetView> sets;            // every order of the space's named sets
  std::vector<std::string> cost_names;  // "operators recomputed": counters that are not 0 in every legal order
  std::vector<CostRow> costs;
  std::vector<TrafficRow> traffic;
  std::vector<SentTable> sent;
  std::vector<ContradictionRow> contradictions;
  std::vector<std::string> undecided;
  std::vector<std::string> open;         // "no rule speaks about ...: `fsdp=2,ac`, `fsdp=2,sac`"
  std::vector<std::string> not_planned;  // "12 cases: the native engine builds no compile"
};

EngineView engine_view(const Sources& sources, const EngineRuns& engine);

// What a run showed, in words: "bitwise equal", the first difference, a failure's message and its place.
std::string seen_text(const Observation& seen);

// Contradictions that pages state themselves: expectations that depart from the harm.
std::vector<ContradictionRow> stated_contradictions(const std::vector<Rule>& rules);

}  // namespace ordercheck
