// A rule: one claim about what a stack does, who made it, whom it is about, and the smallest stacks that show it.
// Plain values, read from pages (load.h); nothing here is thread bound.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "parity/record.h"
#include "parity/verdict.h"
#include "rule/holds.h"
#include "rule/pattern.h"
#include "rule/when.h"
#include "stack/stack.h"

namespace ordercheck {

//   order     one kind of item is applied before another
//   clash     two kinds of items are both there, in any order
//   needs     an item is there and another is not
//   fits      sizes or degrees do not go together
//   effect    an item is accepted but silently without effect
//   commutes  two orders agree in numbers and counters: never flagged
ORDERCHECK_ENUM(RuleKind, order, clash, needs, fits, effect, commutes)

//   fundamental  no implementation could allow it      recommended  legal, but worse
//   incidental   true of some implementation and version
ORDERCHECK_ENUM(Basis, fundamental, recommended, incidental)

// What goes wrong, worst first: numbers without a word, a refusal, a wait for ever, a transform silently without effect,
// time, memory.
ORDERCHECK_ENUM(Harm, wrong, fails, hangs, ignored, slow, memory)

ORDERCHECK_ENUM(Stance, supports, disputes, split)

struct Citation {
  std::string url;
  std::string date;  // of the statement: 2025-08-13, 2025-08, 2025, or "unknown"
  Stance says = Stance::supports;
  std::string claim;  // one sentence in our words
  friend bool operator==(const Citation&, const Citation&) = default;
};

// How a counter of the bad stack stands to that of the good one.
enum class Move { none, more, less, same };

// What a run of the bad stack by one engine must show, beyond what the harm says or departing from it.
struct Expectation {
  std::string engine;
  Version version;
  std::optional<Stack> stack;  // where not the witness is meant but this
  Verdict verdict = Verdict::unrun;
  std::optional<Phase> phase;  // of a failure
  std::string message;         // fragment of a failure's message
  std::string operation;       // of a hang
  std::string group;           // of a hang
  Pattern loses;               // of an ignored: which transform; that of the rule, where the harm is ignored
  bool loses_part = false;     // ... which keeps some of its effect
  Move move = Move::none;
  std::string counter;  // see counters.h
  std::string because;  // required where it departs from the harm (pins.h)
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Witness {
  Stack bad;   // raises the rule; dropping any item silences it. commutes: one order
  Stack good;  // raises no error and not this rule.               commutes: the other
  std::string model = "llama";
  std::optional<int> ranks;         // for rules about the ranks there are
  std::optional<int> accumulation;  // microbatches a step; for rules about them
  friend bool operator==(const Witness&, const Witness&) = default;
};

struct Rule {
  std::string id;       // "ORD-004"; stable, never reused
  std::string retired;  // "2026-11-22: why the claim was given up"; empty while it is made
  RuleKind kind = RuleKind::order;
  std::string slug;  // "fsdp-before-tp"
  std::string file;  // "rules/order/fsdp-before-tp.md"
  std::string title;
  //            order    clash  needs  fits    effect  commutes
  Pattern one;      //  first    one    item   item*   item    one        * may be left out
  Pattern other;    //  then     other  needs  -       with*   other
  Pattern between;  // order: an item that has to stand between the two; empty: none has to
  Pattern unless;   // order, clash: silent where an item that matches is applied before the later of the two
  ScopeRelation scopes = ScopeRelation::same;
  std::optional<Condition> when;
  Basis basis = Basis::incidental;
  Harm harm = Harm::wrong;  // commutes pages have none and predict equal
  Pattern loses;            // of harm ignored: the transform that loses its effect
  bool loses_part = false;  // ... and keeps some of it: `loses_part_of`
  std::vector<Holds> holds;
  bool silent_elsewhere = false;     // says nothing about projects that `holds` does not name: a defect of one code base
  std::vector<std::string> implies;  // ids of rules that fire on the witness too; a report shows the strongest
  std::vector<Citation> citations;
  Witness witness;
  std::vector<Expectation> expectations;
  std::string flags;   // section "What it flags", Markdown
  std::string why;     // section "Why"
  std::string limits;  // section "Limits"
  std::string page;    // the whole file
  friend bool operator==(const Rule&, const Rule&) = default;
};

bool holds_for(const Rule& rule, const Target& target);
// Also true of a claim about the mathematics. A claim about one implementation, "pytorch-fsdp1", is none about the
// engine.
bool speaks_about(const Rule& rule, std::string_view project);
// What a page says of one project's defect is no advice for another.
bool is_silent_for(const Rule& rule, std::string_view project);
// One of the patterns that it fires by does.
bool names(const Rule& rule, const std::string& transform);

// The first sentence of the section "Why": what a finding says.
std::string reason_of(const Rule& rule);

// "torchtitan#1554", "torchtitan v0.2.2 train.py": how a report cites a URL.
std::string short_name(const Citation& citation);

// What a harm shows when it is run: slow and memory are equal, with a counter moved.
Verdict verdict_of(Harm harm);

const char* name_of(Move move);
const char* prefix_of(RuleKind kind);  // of an id: "ORD", "CLA", "NEE", "FIT", "EFF", "COM"

}  // namespace ordercheck
