// Converts a rule for the generated pages: its text, and its grade for each engine and version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

// The grade of one claim for one engine and version.
struct Standing {
  std::string target;  // "native 2.11.0"
  std::string grade;   // "reproduced"; "reproduced by native 2.11.0" if another engine or version decided it
  std::string note;    // what the run showed, or why it decides nothing
  std::string bad;     // result of the page's bad example stack: "fails in apply" or "not run"
  std::string good;
  bool claimed = false;  // the rule is about this version
};

struct RulePage {
  std::string id, title, kind, file;  // file: "rules/order/fsdp-before-tp.md"
  std::string page;                   // below rules/: "order/fsdp-before-tp.md"
  std::string flags;                  // the pattern in words: "`fsdp|hsdp` before `tp`"
  std::string when, harm, basis, holds;
  std::string bad, good;                  // the example stacks of the rule page
  std::string repro;                      // argument of `ordercheck repro` for the bad stack; "" if it has no script
  bool loses = false;                     // the harm is a lost effect, which a repro script cannot show
  std::string bad_name, good_name;        // "bad" and "good"; "one" and "other" of a commutes page
  std::string what, why, limits;          // sections, Markdown
  std::vector<Standing> standings;        // one per engine and version that the claim is about
  std::vector<Standing> rows;             // the same; versions of one engine that showed the same are one row
  std::string grades;                     // all grades, for a table cell; "cited, not run" without any
  std::string cited;                      // the grade by citations, if `standings` is empty: "contested"
  std::vector<std::string> citations;     // one line each
  std::vector<std::string> expectations;  // one line each
};

std::vector<Standing> standings_of(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines);
RulePage rule_page(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines);

std::string harm_in_words(const Rule& rule);   // "fails"; "none" for a commutes page
std::string holds_in_words(const Rule& rule);  // "`pytorch>=2.6`, `native>=1`"
// The versions of the target's project that the rule is about, for a table cell. "2.12.1": the rule's lower bound, if an older
// version has runs too. "2.11.0 (first run)": the oldest version with runs, if none is older than the bound. An upper bound is
// appended: ", before 2.13". "" if the rule is not about the target.
std::string since_in_words(const Rule& rule, const Target& target, const std::vector<Observation>& observations);
constexpr std::string_view kFirstRun = "(first run)";
// The rule that predicts the verdict of a wrong run; nullptr without such a rule, or if the verdict is equal. If several predict
// it, prefers one whose own bad example stack did not contradict the rule on this engine.
const Rule* explaining_rule(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules);
// A link to explaining_rule(); "none" without such a rule, "" if the verdict is equal.
std::string explaining_page(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules);
// As explaining_page(), but links to all rules that predict the observed verdict for the stack.
std::string causing_pages(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules);
// Links to the pages that fire on the outcome's stack, from a page in docs/; "none".
std::string pages_that_fire(const Outcome& outcome, const std::vector<Rule>& rules);

}  // namespace ordercheck
