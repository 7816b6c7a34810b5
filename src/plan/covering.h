// What a space lets be combined: parameters, each with its levels, and which combinations the rules allow.
//
// A parameter is written as its levels, "none | tp=2 | tp=4:plan=blocks" or "accumulation=1 | accumulation=2": a level is one
// item with its degrees and options, no item, or a number of microbatches. A combination takes one level of each parameter. It
// is allowed where its items, in their recommended order, raise no error of a rule for the engine and version, need no more
// ranks than the space and the engine have, and are of transforms that the engine builds. Pages alone decide, not runs: see
// pages_alone.h.
//
// Pure values; nothing here is thread bound.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/combinations.h"
#include "protocol/messages.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

struct Level {
  std::string text;                 // as written
  std::optional<Item> item;         // nothing for "none", and of a number of microbatches
  std::optional<int> accumulation;  // microbatches a step
  friend bool operator==(const Level&, const Level&) = default;
};

struct Parameter {
  std::string name;  // the transforms of its levels: "fsdp/ddp"; "accumulation"
  std::vector<Level> levels;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct CoveringSpace {
  int strength = 2;
  int most_ranks = 8;
  std::vector<Parameter> parameters;  // none: the space covers nothing
  friend bool operator==(const CoveringSpace&, const CoveringSpace&) = default;
};

Result<Parameter> parse_parameter(std::string_view text);

// Why these parameters are of no use: fewer than the strength, two of one name, too many combinations. "" where nothing is wrong.
std::string why_not_covering(const CoveringSpace& space);

// Every combination, judged.
Combinations combinations_of(const CoveringSpace& space, const std::vector<Rule>& rules, const Hello& hello,
                             const std::string& model);

// Cases, their items in the recommended order, that together hold every tuple of so many levels that is allowed at all (see
// covering_rows.h). None where the space has no parameters.
std::vector<Case> covering_cases(const CoveringSpace& space, const std::vector<Rule>& rules, const Hello& hello,
                                 const std::string& model, int strength);

// Which combination a case is, whatever the order of its items; nothing where it holds what no level says.
std::optional<Combination> combination_of(const Case& c, const CoveringSpace& space);

}  // namespace ordercheck
