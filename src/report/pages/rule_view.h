// A rule as a reader sees it: the page's text, and how well it stands for each engine and version.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// How one claim stands for one engine and version.
struct Standing {
  std::string target;  // "native 2.11.0"
  std::string grade;   // "reproduced"; "reproduced by native 2.11.0" where another engine or version decided
  std::string note;    // what the run showed, or why it decides nothing
  std::string bad;     // "fails in apply" or "not run"
  std::string good;
  bool claimed = false;  // the page holds for this version
};

struct RulePage {
  std::string id, title, kind, file;  // file: "rules/order/fsdp-before-tp.md"
  std::string page;                   // below rules/: "order/fsdp-before-tp.md"
  std::string flags;                  // the pattern in words: "`fsdp|hsdp` before `tp`"
  std::string when, harm, basis, holds;
  std::string bad, good;                  // the witness
  std::string repro;                      // the bad one for `ordercheck repro`; "" where it has no script for that
  bool loses = false;                     // an effect, which the script of the repro does not judge
  std::string bad_name, good_name;        // "bad" and "good"; "one" and "other" of a commutes page
  std::string what, why, limits;          // sections, Markdown
  std::vector<Standing> standings;        // of the engines that the claim speaks about
  std::string grades;                     // of the standings, in a cell; "cited, not run" where there are none
  std::string cited;                      // its grade where there are none, by the citations alone: "contested"
  std::vector<std::string> citations;     // one line each
  std::vector<std::string> expectations;  // likewise
};

std::vector<Standing> standings_of(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines);
RulePage rule_page(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines);

std::string harm_in_words(const Rule& rule);   // "fails"; "none" of a commutes page
std::string holds_in_words(const Rule& rule);  // "`pytorch>=2.6`, `native>=1`"
// The versions of the target that the page holds for: "2.12.1", where an older one was run; "2.11.0 (first run)", where none was;
// "2.11.0 (first run), before 2.13"; "" where it does not hold.
std::string since_in_words(const Rule& rule, const Target& target, const std::vector<Observation>& observations);
// The rule that says so, linked, where it went wrong; "none" where no rule does, "" where it is equal. Not one whose own bad stack ended
// otherwise in the engine's table.
std::string explaining_page(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules);
// The same, but all rules that say of the stack what the run showed.
std::string causing_pages(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules);
// Links to the pages that fire on the outcome's stack, from a page in docs/; "none".
std::string pages_that_fire(const Outcome& outcome, const std::vector<Rule>& rules);

}  // namespace ordercheck
