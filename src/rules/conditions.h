// Parses and evaluates the field `when` of rule pages: a condition on degrees and sizes, such as `tp > 1 && kv_heads % tp !=
// 0`. The page fires only if it holds.
//
// Names:
// - degrees pp dp_replicate dp_shard cp tp ep etp: 1 if absent; an unwritten degree is only known to be more than 1
// - dp = dp_replicate * dp_shard; world: the number of ranks in the mesh; ranks: the available ranks, if known (`--ranks`)
// - model sizes layers dim heads kv_heads head_dim ffn_hidden vocab experts
// - step sizes sequence_length sequences microbatches accumulation
// - ac sac compile: number of items of that name; clip_alone: number of optimizers that clip by clip_grad_norm_ alone
//
// A condition with an unknown size is yes or no only if every value of the size gives the same result; else unknown.
// Operators, loosest first: || (or), && (and), == !=, < <= > >=, + -, * %, and a sign '-'. Numbers are whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/condition_values.h"

namespace ordercheck {

struct ConditionNode {
  enum Kind {
    name,
    number,
    negated,
    either,
    both,
    equal,
    unequal,
    less,
    at_most,
    greater,
    at_least,
    sum,
    difference,
    product,
    remainder
  };
  Kind kind = number;
  long long value = 0;   // if kind is number
  std::string text;      // if kind is name
  std::size_t slot = 0;  // if kind is name: index in ConditionValues
  std::size_t left = 0;  // indices in Condition::nodes; `negated` uses `left` only
  std::size_t right = 0;
  friend bool operator==(const ConditionNode&, const ConditionNode&) = default;
};

struct Condition {
  std::string text;
  std::vector<std::string> names;    // in order of appearance, without duplicates
  std::vector<ConditionNode> nodes;  // operands before their operators: the last node is the root
  friend bool operator==(const Condition&, const Condition&) = default;

  const ConditionNode& root() const { return nodes.back(); }
  const ConditionNode& left(const ConditionNode& node) const { return nodes[node.left]; }
  const ConditionNode& right(const ConditionNode& node) const { return nodes[node.right]; }
};

// An error for an unknown name (with a suggestion), a syntax error, or a number where a comparison is needed.
Result<Condition> parse_condition(std::string_view text);

// Prints the subexpression at `node`, without outer brackets: "sequence_length % (2 * cp * tp) != 0".
std::string print(const Condition& condition, const ConditionNode& node);

// The operands of a chain of `kind` (either: a || b || c; both: a && b && c) below `node`; just `node` if it is of another
// kind.
std::vector<const ConditionNode*> parts_of(const Condition& condition, const ConditionNode& node, ConditionNode::Kind kind);

enum class Truth { no, yes, unknown };
Truth truth_of(const Condition& condition, const ConditionValues& values);

bool is_met(const Condition& condition, const ConditionValues& values);  // false if unknown

// The names in the condition that `values` does not contain, in order of appearance.
std::vector<std::string> unknown_names(const Condition& condition, const ConditionValues& values);

// The names in the condition with their values: "kv_heads = 24, tp = 5".
std::string explain(const Condition& condition, const ConditionValues& values);

}  // namespace ordercheck
