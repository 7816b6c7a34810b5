// A public discussion about orders, point by point: what was said, what the pages say, what runs showed.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// A stack of a point, and what it showed.
struct PointStack {
  std::string stack;               // "`ac,tp=2`"
  std::vector<std::string> cells;  // one an engine: "[fails in optimizer](evidence/pytorch-2.15.0.md#fails); 2.11.0: differs",
                                   // "not run: no run holds `pp`"
};

struct PointView {
  std::string title;  // "2. Can the order be changed?"
  std::string by, date, says, basis_said, answer;
  std::string why;            // in one line; "" for none
  std::string ours;           // "incidental: ORD-004", of the pages about orders
  std::string other_way;      // on the newest PyTorch: "fails in apply: `fsdp=2,tp=2`"; "not run"
  std::string by_definition;  // those of them that harm there, and not where transforms are built from definitions
  std::string pages;          // about it: "[ORD-003](rules/ac-before-tp.md) (incidental, wrong), ..."
  std::vector<PointStack> stacks;
};

struct DiscussionView {
  std::string file;  // of its page, in docs/threads/: "torchtitan-1554.md"
  std::string title, url;
  std::vector<std::string> engines;  // in their newest versions, linked: "[pytorch 2.15.0, cpu](evidence/pytorch-2.15.0.md)"
  std::string definition;            // whose runs by_definition is of: "native 2.11.0"; "" for nobody's
  std::vector<PointView> points;
};

std::vector<DiscussionView> discussion_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
