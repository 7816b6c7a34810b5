// The `when` expressions of rule pages: conditions over degrees and sizes, such as `tp > 1 && kv_heads % tp != 0`.
//
// Names: the degrees pp dp_replicate dp_shard cp tp ep etp (1 where the stack has none), dp = dp_replicate * dp_shard, world
// = the ranks that the stack's mesh needs, ranks = the ranks there are (only when the question says so); the model sizes
// layers dim heads kv_heads head_dim ffn_hidden vocab experts; the step sizes sequence_length sequences microbatches; ac
// sac compile, how many items of that name there are; clip_alone, how many optimizers clip by clip_grad_norm_ alone. Of a size that is not known only what holds for every value of it
// is concluded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/job.h"

namespace ordercheck {

struct Condition {
  std::string text;
  std::vector<std::string> names;  // each once, in order of appearance
  friend bool operator==(const Condition&, const Condition&) = default;
};

// Refuses unknown names (with a suggestion), syntax errors and what is no truth value.
Result<Condition> parse_condition(std::string_view text);

enum class Truth { no, yes, unknown };
Truth truth_of(const Condition& condition, const ConditionValues& values);

bool is_met(const Condition& condition, const ConditionValues& values);  // unknown is not met

// Names of the condition that have no value, in order of appearance.
std::vector<std::string> unknown_names(const Condition& condition, const ConditionValues& values);

// "kv_heads = 24, tp = 5": the values that a condition looked at.
std::string explain(const Condition& condition, const ConditionValues& values);

}  // namespace ordercheck
