// What a check of a stack finds: values, never thrown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rule/grade.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

struct Party {
  std::size_t index = 0;  // in the stack, 0 is applied first
  std::string text;       // the item, printed
  friend bool operator==(const Party&, const Party&) = default;
};

// A stack to take instead.
struct Try {
  Stack stack;       // checked: without any error
  std::string seen;  // what committed runs of the version meant showed of it: "equal when run on pytorch 2.15.0"
  friend bool operator==(const Try&, const Try&) = default;
};

// One rule firing on one place of a stack.
struct Finding {
  std::string rule;      // "ORD-004"
  std::string headline;  // "fsdp is applied before tp"
  Severity severity = Severity::advice;
  Grade grade;
  std::string about;           // of a rule that does not hold for the target: what it holds for, "project>=0.2.0"
  std::vector<Party> parties;  // in the order of the stack
  std::string instead;         // "tp goes before fsdp": what the rule wants
  std::string why;             // one sentence of the page
  Citation citation;           // the first of the page
  Stack smallest;              // the page's witness
  std::string shows;           // "fails while applying, \"Cannot distribute a DTensor ...\""
  bool shows_run = false;      // `shows` is of a run that ended otherwise than the rule says, not of the rule
  std::vector<Try> tries;      // at most three, the page's own cure first; of an error without any, the report's repaired stack
  std::vector<std::string> also;  // rules that always fire with this one, left out of the report
  friend bool operator==(const Finding&, const Finding&) = default;
};

// The smallest part of a stack that is still in error.
struct Conflict {
  Stack stack;                     // the items of the part, in their order
  std::vector<std::size_t> items;  // their places in the whole
  std::vector<std::string> rules;  // ids of the errors that it raises
  bool no_order = false;           // no order of these items keeps all of the rules
  friend bool operator==(const Conflict&, const Conflict&) = default;
};

// A rule about sizes that are not known.
struct NotJudged {
  std::string rule;
  std::vector<std::string> sizes;  // the unknown ones, as conditions name them: "heads", "ranks"
  friend bool operator==(const NotJudged&, const NotJudged&) = default;
};

// A page that speaks of a trainer that clips, where the stack names none.
struct TrainerAdvice {
  std::string rule;
  std::string shows;  // what clipping shows in this stack
  std::string needs;  // the item that the page takes instead: "optimizer=adamw:clip=per_mesh"; "" for none
  friend bool operator==(const TrainerAdvice&, const TrainerAdvice&) = default;
};

struct Counts {
  int errors = 0;
  int advice = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

// What the pages of another project find in the same stack.
struct FoundElsewhere {
  Target target;  // the newest version that is known
  Counts counts;
  friend bool operator==(const FoundElsewhere&, const FoundElsewhere&) = default;
};

// A transform of the stack that no run of the target has: what the pages do not say against it is silence, which is no green.
struct Unknown {
  std::string transform;
  std::vector<FoundElsewhere> elsewhere;  // of projects whose pages name it, by name
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

struct Report {
  Stack stack;
  Target target;
  bool target_assumed = false;             // the version was not asked for: the newest that is known
  std::optional<Version> newest_run = {};  // where the target is newer than any version that was run: that one
  std::vector<Finding> findings;           // errors first, then by rule kind, id and place
  std::string seen =
      "";  // what a committed run of the very stack showed, if no error says that: "fails in optimizer when run on ..."
  bool ran_wrong = false;  // `seen` is a harm that no rule names, not even one that sizes keep from being judged
  std::vector<TrainerAdvice> trainer = {};  // in order of the rules; never against the stack itself
  std::vector<NotJudged> not_judged;        // in order of the rules
  std::vector<Unknown> unknown = {};        // in order of the stack
  std::optional<Conflict> conflict;         // when there is an error
  std::optional<Stack> repaired;            // without any error; nothing when there is none to mend, or no repair was found
  friend bool operator==(const Report&, const Report&) = default;
};

int count_of(const Report& report, Severity severity);

enum class Legality { legal, illegal, unknown };

// Illegal where there is an error, else unknown where something in the stack is, or where its run went wrong.
Legality legality_of(const Report& report);

}  // namespace ordercheck
