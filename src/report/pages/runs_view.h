// What an engine ran and saw, whatever the rules say of it.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/set_view.h"
#include "report/pages/sources.h"
#include "report/pages/traffic_view.h"

namespace ordercheck {

// Cases that showed the same.
struct SeenGroup {
  std::string place;               // "in apply"; "" where the verdict has none
  std::string seen;                // the message, or the first difference; "" of equal ones
  std::vector<std::string> cases;  // "`tp=2,ac,fsdp=2`", with its settings where they are not the usual ones
};

struct VerdictGroup {
  std::string verdict;  // "fails"
  std::string cases;    // "31 cases"
  std::vector<SeenGroup> groups;
};

struct EngineView {
  std::string title;     // "native 2.11.0, cpu"
  std::string versions;  // "libtorch 2.11.0"
  std::string arithmetic;
  std::string cases;                  // "212"
  std::string verdicts;               // "180 equal, 32 fails"
  std::vector<std::string> controls;  // "clipping held: ..."
  std::string file;                   // of its page, in docs/evidence/: "pytorch-2.15.0.md"
  std::string sends_file;             // of the page that `sent` is on; "" where there is none
  std::vector<VerdictGroup> runs;     // every case, by verdict
  std::vector<SetView> sets;          // the space's named sets
  std::vector<SentTable> sent;
};

EngineView engine_view(const Sources& sources, const EngineRuns& engine);

// The case without the engine, which the whole page is about.
std::string text_of(const Case& c);

}  // namespace ordercheck
