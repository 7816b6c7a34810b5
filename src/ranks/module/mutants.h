// Small errors that can be put in on purpose, each with a twin without it that must pass: they show what the comparison
// can see. A mutant is a name that model and transforms look for at the one place it breaks.
#pragma once

#include <vector>

#include "protocol/messages.h"

namespace ordercheck::ranks {

inline const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> table{
      {"epsilon", "RMSNorm's epsilon is a thousandth larger in the first block"},
      {"mask_bit", "one key after the query is visible to it in the first block"},
      {"position", "keys are rotated one position too far in the first block"},
      {"drop_sum", "a replicated norm weight's partial gradients are not summed"},
      {"double_sum", "a replicated norm weight's partial gradients are summed twice"},
      {"scale", "a gradient is divided by the degree where it should be summed"},
      {"local_tokens", "the loss is divided by the rank's valid tokens, not by all"},
      {"norm_replicas", "the total norm counts a replicated parameter once a rank"},
      {"shard_order", "a dim that is sharded twice is put together in the other order"},
      {"skip_microbatch", "the gradient of the last microbatch is not reduced"},
      {"average", "replicas' gradients are averaged where they should be summed"},
      {"skip_bucket", "the last bucket of gradients is not summed over replicas"},
      {"next_kept", "a run of a kept operator is handed what a later one of the same sizes returned"},
      {"untouched", "the transform is accepted and leaves the model as it was"},
      {"pad_front", "an uneven shard is padded before its rows, and its rows are looked for there"},
      {"nan_padding", "an uneven shard's padding is not a number, and is taken for rows"},
      {"lost_replicas", "gradients of shards are not summed over the replicas"},
      {"own_tokens", "gradients are not summed over the ranks that have the other tokens of a sequence"},
      {"detached_router", "scores weigh what experts return without a gradient"},
      {"idle_expert", "experts without tokens have no part in the graph, and no gradient"},
      {"expert_scale", "gradients of experts are as many times too large as ranks hold different ones"},
      {"other_microbatch", "a stage goes back with the gradient of the microbatch before"},
      {"unscaled", "gathered parameters are scaled up in transit and not scaled back"},
      {"no_broadcast", "the first replica's values are not sent to the others"},
      {"unused_graph", "graphs are captured and none is run: the module runs as it was"},
      {"fresh_random", "recomputation does not put the random state back"},
      {"first_positions", "dropout on a piece of the sequence drops what it would drop on the first piece"},
      {"in_turn_mask", "attention takes a piece from the front and the back of the sequence for a contiguous one"},
      {"wrong_group", "gradients of shards are summed over the ranks with other shards in place of the replicas"},
      {"tied_apart", "a parameter in two slots is sharded once for each, and each shard is updated by itself"},
      {"kept_gradient", "a gradient by which the optimizer stepped within backward is stepped by again behind it"},
      {"lost_sum", "where a plan of placements first has a partial sum added up, it is taken for whole"},
      {"zero_gradient", "one parameter's gradient is zero"},
  };
  return table;
}

}  // namespace ordercheck::ranks
