// The `when` expressions of rule pages: conditions over degrees and sizes, such as `tp > 1 && kv_heads % tp != 0`.
//
// Names: the degrees pp dp_replicate dp_shard cp tp ep etp (1 where the stack has none; of one that is not written it is known that it
// is more than 1), dp = dp_replicate * dp_shard, world
// = the ranks that the stack's mesh needs, ranks = the ranks there are (only when the question says so); the model sizes
// layers dim heads kv_heads head_dim ffn_hidden vocab experts; the step sizes sequence_length sequences microbatches
// accumulation; ac sac compile, how many items of that name there are; clip_alone, how many optimizers clip by clip_grad_norm_
// alone. Of a size that is not known only what holds for every value of it is concluded.
//
// Operators, loosest first: || (or), && (and), == !=, < <= > >=, + -, * %, and a '-' before a value. Numbers are whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/condition_values.h"

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
  long long value = 0;   // of a number
  std::string text;      // of a name
  std::size_t slot = 0;  // of a name, in ConditionValues
  std::size_t left = 0;  // in the nodes of the condition; of a negated one its only operand
  std::size_t right = 0;
  friend bool operator==(const ConditionNode&, const ConditionNode&) = default;
};

struct Condition {
  std::string text;
  std::vector<std::string> names;    // each once, in order of appearance
  std::vector<ConditionNode> nodes;  // operands before what they are operands of: the last is the whole
  friend bool operator==(const Condition&, const Condition&) = default;

  const ConditionNode& root() const { return nodes.back(); }
  const ConditionNode& left(const ConditionNode& node) const { return nodes[node.left]; }
  const ConditionNode& right(const ConditionNode& node) const { return nodes[node.right]; }
};

// Refuses unknown names (with a suggestion), syntax errors and what is no truth value.
Result<Condition> parse_condition(std::string_view text);

// A part of the condition as it may be written, without brackets around it: "sequence_length % (2 * cp * tp) != 0".
std::string print(const Condition& condition, const ConditionNode& node);

// What stands between the operators of that kind, `either` or `both`; the node alone where it is of another kind.
std::vector<const ConditionNode*> parts_of(const Condition& condition, const ConditionNode& node, ConditionNode::Kind kind);

enum class Truth { no, yes, unknown };
Truth truth_of(const Condition& condition, const ConditionValues& values);

bool is_met(const Condition& condition, const ConditionValues& values);  // unknown is not met

// Names of the condition that have no value, in order of appearance.
std::vector<std::string> unknown_names(const Condition& condition, const ConditionValues& values);

// "kv_heads = 24, tp = 5": the values that a condition looked at.
std::string explain(const Condition& condition, const ConditionValues& values);

}  // namespace ordercheck
