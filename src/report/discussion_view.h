// A public discussion about orders, point by point: what was said, what the pages say, what runs showed.
#pragma once

#include <string>
#include <vector>

#include "report/engine_runs.h"
#include "report/sources.h"

namespace ordercheck {

// A page about a point.
struct PointRule {
  std::string link, title, basis, harm;
};

// One line of the table that lays a point's stacks side by side: a verdict, a counter, the collectives of one kind.
struct PointLine {
  std::string name;                // "operators recomputed", "all_gather on dp_shard in backward"
  std::vector<std::string> cells;  // one a stack
  std::string same;                // "yes", "no", "unknown" where not all measured it; "" where one stack alone has it
};

// What one engine and version showed of stacks of a point that hold the same transforms.
struct PointRuns {
  std::string target;               // "native 2.11.0, cpu"
  std::string not_run;              // why there is no line, where there is none
  std::string told_at;              // the title of the point that has shown the very same table; "" where none has
  std::vector<std::string> stacks;  // heads of the columns
  std::vector<PointLine> lines;     // verdict, what was seen, every counter that is not 0 everywhere, then collectives
                                    // that differ
  std::string apart;                // what tells the stacks apart, in a sentence
};

struct PointView {
  std::string title;  // "2. Can the order be changed?"
  std::string by, date, says, basis_said, answer;
  std::string why;                    // in one line; "" for none
  std::string ours;                   // "incidental: ORD-004", of the pages about orders
  std::string other_way;              // on the newest PyTorch: "fails in apply: `fsdp=2,tp=2`"; "not run"
  std::string pair;                   // "`tp` before `ac`"; "`pp`" where one is named; "" where none is
  std::vector<std::string> bases;     // "[ORD-003](...) incidental"
  std::vector<std::string> verdicts;  // "native 2.11.0, cpu: `tp=2,ac` equal, `ac,tp=2` differs"; "not run"
  std::vector<PointRule> rules;
  std::vector<PointRuns> runs;  // one a set of transforms and a table of evidence, or target without one
};

struct DiscussionView {
  std::string name;  // "torchtitan-1554"
  std::string title, url;
  std::vector<PointView> points;
};

std::vector<DiscussionView> discussion_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
