// Plans a matrix: which cases run and why, and which do not run and why. Pure; starts no engine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/enum.h"
#include "matrix/framework.h"
#include "matrix/space.h"
#include "record/messages.h"
#include "rules/rule.h"
#include "stack/case.h"

namespace ordercheck {

// Why a case is in the plan.
//   witness        an example stack of a rule page: detail "ORD-004 bad" or "ORD-004 good"
//   order          one order of a set of transforms, legal or not
//   legal          an order that breaks no rule, at every world size of the space
//   edge           an order that breaks exactly one rule or one edge of the precedence graph: detail is the id or ids
//   covering       a row of the space's `covering` set
//   accumulation   a legal order with another number of microbatches
//   optimizer      an optimizer at one position of an order
//   framework      a project's fixed order: detail is its name, "torchtitan (projected)"
//   traffic        a row of a table that compares the traffic of stacks: detail is its title
ORDERCHECK_ENUM(SourceKind, witness, order, legal, edge, accumulation, optimizer, framework, traffic, covering)

struct Source {
  SourceKind kind = SourceKind::order;
  std::string detail;
  friend auto operator<=>(const Source&, const Source&) = default;
};

struct PlannedCase {
  Case subject;
  std::vector<Source> sources;  // sorted, unique
  friend bool operator==(const PlannedCase&, const PlannedCase&) = default;
};

struct NotPlanned {
  Case subject;
  std::vector<Source> sources;
  std::string reason;  // "the native engine builds no cp"
  friend bool operator==(const NotPlanned&, const NotPlanned&) = default;
};

struct Plan {
  std::string engine;
  std::vector<PlannedCase> cases;       // sorted by print(subject), unique
  std::vector<NotPlanned> not_planned;  // as `cases`
  std::size_t only_in_full = 0;         // number of cases of tier full that this tier leaves out
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Why the engine with this hello message cannot run the case; "" if it can.
std::string why_not(const Case& c, const Hello& hello);

// How much of the space (space.h) to plan; option --tier.
//   smoke       the few stacks in the space's `smoke`: they show whether the engine works with a build at all
//   by_default  the stacks in the space's `default`; without them, every rule's witness, the rows of `covering` and `smoke`; everything
//               in a space that has no `covering` either
//   full        every case of every source
//   versions    the stacks in the space's `versions`
enum class Tier { smoke, by_default, full, versions };

const char* name_of(Tier tier);  // "default"
std::optional<Tier> find_tier(const std::string& name);
const std::vector<std::string>& tier_names();

// Whether the tier has every case of the space.
bool is_whole(const Space& space, Tier tier);

// The cases that one traffic table of the space compares, in the order of its rows.
std::vector<Case> cases_of(const TrafficTable& table, const std::string& engine);

// Plans the cases of every SourceKind for the engine with this hello message.
Plan make_plan(const Space& space, const std::vector<Framework>& frameworks, const std::vector<Rule>& rules, const Hello& hello,
               Tier tier = Tier::full);

std::string print(const Source& source);  // "witness ORD-004 bad"

// Reasons why cases were not planned, each with its number of cases, the most frequent first.
std::vector<std::pair<std::string, int>> reasons_not_planned(const Plan& plan);

}  // namespace ordercheck
