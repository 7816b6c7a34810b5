// Defines a rule: a claim about what a stack does, its sources, what it applies to, and the smallest stacks that show it. Plain
// values, read from pages (load.h); no thread affinity.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "record/record.h"
#include "record/verdict.h"
#include "rules/conditions.h"
#include "rules/holds.h"
#include "rules/pattern.h"
#include "stack/stack.h"

namespace ordercheck {

//   order     one kind of item is applied before another
//   clash     two kinds of items are both present, in any order
//   needs     an item is present and another is not
//   fits      sizes or degrees do not go together
//   effect    an item is accepted but silently has no effect
//   commutes  two orders agree in numbers and counters: never flagged
ORDERCHECK_ENUM(RuleKind, order, clash, needs, fits, effect, commutes)

//   fundamental  no implementation could allow it      recommended  legal, but worse
//   incidental   true of some implementation and version
ORDERCHECK_ENUM(Basis, fundamental, recommended, incidental)

// What goes wrong when a rule fires, worst first: silently wrong numbers, an error, a deadlock, a transform without effect,
// more time, more memory.
ORDERCHECK_ENUM(Harm, wrong, fails, hangs, ignored, slow, memory)

ORDERCHECK_ENUM(Stance, supports, disputes, split)

struct Citation {
  std::string url;
  std::string date;  // of the cited statement: 2025-08-13, 2025-08, 2025, or "unknown"
  Stance says = Stance::supports;
  std::string claim;  // one sentence in our words
  friend bool operator==(const Citation&, const Citation&) = default;
};

// How a counter changes from the run of the page's good example stack to that of the bad one.
enum class Move { none, more, less, same };

// An [[expect]] entry of a rule page: what a run on this engine and version must show. It gives details of the page's harm, or
// an exception from it.
struct Expectation {
  std::string engine;
  Version version;
  std::optional<Stack> stack;  // the stack that must run; unset: the page's bad example stack
  Verdict verdict = Verdict::unrun;
  std::optional<Phase> phase;  // of a failure
  std::string message;         // part of a failure's message
  std::string operation;       // of a hang
  std::string group;           // of a hang
  Pattern loses;               // for `ignored`: the transform without effect; that of the rule if its harm is ignored
  bool loses_part = false;     // `loses` keeps a part of its effect
  Move move = Move::none;
  std::string counter;  // see counters.h
  std::string because;  // explains the difference; required if it is an exception from the harm (pins.h)
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Witness {
  Stack bad;   // the rule fires, and does not without any one item. commutes: one order
  Stack good;  // no errors, and this rule does not fire.       commutes: the other
  std::string model = "llama";
  std::optional<int> ranks;         // for rules about the number of ranks
  std::optional<int> accumulation;  // microbatches per step, for rules about them
  friend bool operator==(const Witness&, const Witness&) = default;
};

struct Rule {
  std::string id;       // "ORD-004"; stable, never reused
  std::string retired;  // "2026-11-22: why the claim was retired"; empty if active
  RuleKind kind = RuleKind::order;
  std::string slug;  // "fsdp-before-tp"
  std::string file;  // "rules/order/fsdp-before-tp.md"
  std::string title;
  //            order    clash  needs  fits    effect  commutes
  Pattern one;      //  first    one    item   item*   item    one        * optional
  Pattern other;    //  then     other  needs  -       with*   other
  Pattern between;  // order: an item that must be between the two; empty: not required
  Pattern unless;   // order, clash: does not fire if a matching item is applied before the later of the two
  ScopeRelation scopes = ScopeRelation::same;
  std::optional<Condition> when;
  Basis basis = Basis::incidental;
  Harm harm = Harm::wrong;  // commutes pages ignore it and predict equal
  Pattern loses;            // for harm `ignored`: the transform without effect
  bool loses_part = false;  // `loses` keeps a part of its effect (key `loses_part_of`)
  std::vector<Holds> holds;
  bool silent_elsewhere = false;     // never fires for projects that `holds` does not name: a bug of one code base
  std::vector<std::string> implies;  // ids of rules that also fire on `witness.bad`; a report merges them into this one
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
// Whether the rule is about the project in any version, or about mathematics. False for a claim about one implementation only
// ("pytorch-fsdp1").
bool speaks_about(const Rule& rule, std::string_view project);
// Whether the rule is about a bug of other projects, so that it never fires for this one.
bool is_silent_for(const Rule& rule, std::string_view project);
// Whether one of the rule's item patterns names the transform.
bool names(const Rule& rule, const std::string& transform);

// The first sentence of the section "Why", used in findings.
std::string reason_of(const Rule& rule);

// The short name of a citation's URL: "torchtitan#1554", "torchtitan v0.2.2 train.py".
std::string short_name(const Citation& citation);

// The verdict of a run with this harm: differs for wrong, and so on; equal for slow and memory, which only counters show.
Verdict verdict_of(Harm harm);

const char* name_of(Move move);
const char* prefix_of(RuleKind kind);  // the prefix of rule ids: "ORD", "CLA", "NEE", "FIT", "EFF", "COM"

}  // namespace ordercheck
