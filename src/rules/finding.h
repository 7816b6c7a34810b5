// Defines the report of a check: findings, conflict, repairs and open questions of one stack. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rules/grade.h"
#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck {

struct Party {
  std::size_t index = 0;  // in the stack; 0 is applied first
  std::string text;       // the item as written: "tp=2"
  friend bool operator==(const Party&, const Party&) = default;
};

// A stack that a finding suggests instead.
struct Try {
  Stack stack;       // has no error finding
  std::string seen;  // what committed runs of this stack showed: "equal when run on pytorch 2.15.0"
  friend bool operator==(const Try&, const Try&) = default;
};

// One rule that fires at one place of the user's stack.
struct Finding {
  std::string rule;      // "ORD-004"
  std::string headline;  // "fsdp is applied before tp"
  Severity severity = Severity::advice;
  Grade grade;
  std::string about;              // if the rule is not about the target's version: what it is about, "torchtitan>=0.2.0"
  std::vector<Party> parties;     // in stack order
  std::string instead;            // "tp goes before fsdp": what the rule requires
  std::string why;                // one sentence of the rule page
  Citation citation;              // the page's first one
  Stack smallest;                 // the rule page's bad example stack
  std::string shows;              // "fails while applying, \"Cannot distribute a DTensor ...\""
  bool shows_run = false;         // `shows` is what a run showed, because that is not what the rule says
  std::vector<Try> tries;         // at most three, the page's own repair first; an error without any gets `repaired`
  std::vector<std::string> also;  // ids of rules that this one implies; they get no finding of their own
  friend bool operator==(const Finding&, const Finding&) = default;
};

// The smallest part of a stack that is still in error.
struct Conflict {
  Stack stack;                     // the items of the part, in order
  std::vector<std::size_t> items;  // indices of these items in the user's stack
  std::vector<std::string> rules;  // ids of the rules that it violates
  bool no_order = false;           // no order of these items keeps all the rules
  friend bool operator==(const Conflict&, const Conflict&) = default;
};

// A rule that could not be evaluated, because a size in its condition is unknown.
struct NotJudged {
  std::string rule;
  std::vector<std::string> sizes;  // the unknown sizes: "heads", "ranks"
  friend bool operator==(const NotJudged&, const NotJudged&) = default;
};

// What a rule says would happen if the user's trainer clips gradients. Only for a stack that names no optimizer.
struct TrainerAdvice {
  std::string rule;
  std::string shows;  // what clipping causes in this stack
  std::string needs;  // the item to add, by the rule page: "optimizer=adamw:clip=per_mesh"; "" if none
  friend bool operator==(const TrainerAdvice&, const TrainerAdvice&) = default;
};

struct Counts {
  int errors = 0;
  int advice = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

// How many findings the same stack has for another project's engine.
struct FoundElsewhere {
  Target target;  // the other project, with its newest known version
  Counts counts;
  friend bool operator==(const FoundElsewhere&, const FoundElsewhere&) = default;
};

// A transform that no committed run of the target has. Without findings about it, it is unknown whether it is right.
struct Unknown {
  std::string transform;
  std::vector<FoundElsewhere> elsewhere;  // other projects whose rule pages name it, sorted by name
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

// What --select and --ignore leave out of a report.
struct NotAsked {
  std::string by;                     // the options, "--ignore FIT"; "" if every rule is asked
  std::vector<Finding> findings;      // of the rules that are left out
  std::vector<NotJudged> not_judged;  // of the rules that are left out
  friend bool operator==(const NotAsked&, const NotAsked&) = default;
};

struct Report {
  Stack stack;
  Target target;
  bool target_assumed = false;             // the user gave no version, so the newest known one is used
  std::optional<Version> newest_run = {};  // the newest version with runs, if the target is newer; else unset
  std::vector<Finding> findings;           // errors first, then by rule kind, id and place
  std::string seen =
      "";  // result of a committed run of this stack, if no finding states it: "fails in optimizer when run on ..."
  bool ran_wrong = false;                   // that run was wrong, and no rule explains it, not even one with unknown sizes
  std::vector<TrainerAdvice> trainer = {};  // in rule order; does not make the stack illegal
  std::vector<NotJudged> not_judged;        // in rule order
  NotAsked not_asked = {};
  std::vector<Unknown> unknown = {};  // in stack order
  std::optional<Conflict> conflict;   // set if there is an error
  std::optional<Stack> repaired;      // a similar stack without errors; unset if not needed or not found
  friend bool operator==(const Report&, const Report&) = default;
};

int count_of(const Report& report, Severity severity);

enum class Legality { legal, illegal, unknown };

// illegal if the report has an error; else unknown if a transform is unknown or a run of the stack was wrong; else legal.
Legality legality_of(const Report& report);

}  // namespace ordercheck
