// The plan of a matrix: which cases are run and why, and which are not and why not. Pure: no engine is started here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/discussion.h"
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
//   edge           an order that breaks exactly one rule: detail is its id
//   accumulation   a legal order with another number of microbatches
//   optimizer      an optimizer at one position of an order
//   framework      a project's fixed order: detail is its name, "torchtitan (projected)"
//   traffic        a row of a table that lays stacks side by side: detail is its title
//   discussion         a stack that answers a point of a discussion: detail is both names, "torchtitan-1554 tp-ac"
enum class SourceKind { witness, order, legal, edge, accumulation, optimizer, framework, discussion, traffic };

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
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Why the engine cannot build the case; "" when it can.
std::string why_not(const Case& c, const Hello& hello);

// The slow tier adds the orders of the space's slow sets; without it they are listed as not planned. The tiers smoke and
// versions are the stacks that the space lists under these names, and nothing else.
enum class Tier { usual, slow, smoke, versions };

// The cases of one of the space's tables, in its order.
std::vector<Case> cases_of(const TrafficTable& table, const std::string& engine);

// Cases of every source for one engine. Without a rule set that loaded there is no plan, so the rules come loaded.
Plan make_plan(const Space& space, const std::vector<Framework>& frameworks, const std::vector<Rule>& rules, const Hello& hello,
               const std::vector<Discussion>& discussions = {}, Tier tier = Tier::usual);

// The cases of shard `index` of `count`, 1 the first: every count-th case.
Plan shard_of(const Plan& plan, int index, int count);

const char* name_of(SourceKind kind);
std::string print(const Source& source);  // "witness ORD-004 bad"

// Reasons of what was not planned, each with how many cases it kept out, the most frequent first.
std::vector<std::pair<std::string, int>> reasons_not_planned(const Plan& plan);

}  // namespace ordercheck
