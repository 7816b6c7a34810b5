// The plan of a matrix: which cases are run and why, and which are not and why not. Pure: no engine is started here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/enum.h"
#include "plan/framework.h"
#include "plan/space.h"
#include "protocol/messages.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

// Why a case is in the plan.
//   witness        a rule's smallest stack: detail "ORD-004 bad" or "ORD-004 good"
//   order          one order of a transform set, whether legal or not
//   legal          an order that no rule speaks against, at every world size of the space
//   edge           an order that breaks exactly one rule, or exactly one edge of the precedence graph: detail is the id, or ids
//   covering       a row of `covering` of the space
//   accumulation   a legal order with another number of microbatches
//   optimizer      an optimizer at one position of an order
//   framework      a project's fixed order: detail is its name, "torchtitan (projected)"
//   traffic        a row of a table that lays stacks side by side: detail is its title
ORDERCHECK_ENUM(SourceKind, witness, order, legal, edge, accumulation, optimizer, framework, traffic, covering)

struct Source {
  SourceKind kind = SourceKind::order;
  std::string detail;
  friend auto operator<=>(const Source&, const Source&) = default;
};

struct PlannedCase {
  Case subject;
  std::vector<Source> sources;  // sorted, each once
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
  std::vector<PlannedCase> cases;       // sorted by print(subject), each once
  std::vector<NotPlanned> not_planned;  // likewise
  std::size_t only_in_full = 0;         // cases that the tier leaves out and tier full would plan
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Why the engine cannot build the case; "" when it can.
std::string why_not(const Case& c, const Hello& hello);

// How much of the space is planned.
//   smoke       the few stacks that the space lists as `smoke`: does the engine work with a build at all?
//   by_default  those that it lists as `default`; all, where it lists none
//   full        every case of every source
//   versions    those that it lists as `versions`
enum class Tier { smoke, by_default, full, versions };

const char* name_of(Tier tier);  // "default"
std::optional<Tier> find_tier(const std::string& name);
const std::vector<std::string>& tier_names();

// Does the tier hold all that the space has?
bool is_whole(const Space& space, Tier tier);

// The cases of one of the space's tables, in its order.
std::vector<Case> cases_of(const TrafficTable& table, const std::string& engine);

// Cases of every source for one engine. Without a rule set that loaded there is no plan, so the rules come loaded.
Plan make_plan(const Space& space, const std::vector<Framework>& frameworks, const std::vector<Rule>& rules, const Hello& hello,
               Tier tier = Tier::full);

std::string print(const Source& source);  // "witness ORD-004 bad"

// Reasons of what was not planned, each with how many cases it kept out, the most frequent first.
std::vector<std::pair<std::string, int>> reasons_not_planned(const Plan& plan);

}  // namespace ordercheck
