// Small errors that can be put in on purpose, each with a twin without it that must pass: they show what the comparison
// can see. A mutant is a name that model and transforms look for at the one place it breaks.
#pragma once

#include <string>
#include <vector>

namespace ordercheck::ranks {

struct Mutant {
  std::string name;
  std::string breaks;   // in words
  std::string visible;  // the smallest stack in which it is at work
};

inline const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> table{
      {"epsilon", "RMSNorm's epsilon is a thousandth larger in the first block", ""},
      {"mask_bit", "one key after the query is visible to it in the first block", ""},
      {"position", "keys are rotated one position too far in the first block", ""},
      {"drop_sum", "M1: a replicated norm weight's partial gradients are not summed", "tp=2"},
      {"double_sum", "M2: a replicated norm weight's partial gradients are summed twice", "tp=2"},
      {"scale", "a gradient is divided by the degree where it should be summed", "fsdp=2"},
      {"local_tokens", "M3: the loss is divided by the rank's valid tokens, not by all", "fsdp=2"},
      {"norm_replicas", "M5: the total norm counts a replicated parameter once a rank", "tp=2"},
      {"shard_order", "M10: a dim that is sharded twice is put together in the other order", "tp=2,fsdp=2"},
      {"skip_microbatch", "M12: the gradient of the last microbatch is not reduced", "fsdp=2"},
      {"average", "replicas' gradients are averaged where they should be summed", "ddp=2"},
      {"skip_bucket", "the last bucket of gradients is not summed over replicas", "ddp=2"},
      {"next_kept", "a run of a kept operator is handed what a later one of the same sizes returned", "sac"},
      {"untouched", "M14: the transform is accepted and leaves the model as it was", "ac"},
      {"pad_front", "an uneven shard is padded before its rows, and its rows are looked for there", "fsdp=5"},
      {"nan_padding", "an uneven shard's padding is not a number, and is taken for rows", "fsdp=5"},
      {"unscaled", "gathered parameters are scaled up in transit and not scaled back", "fsdp=2"},
      {"no_broadcast", "the first replica's values are not sent to the others", "ddp=2"},
      {"unused_graph", "graphs are captured and none is run: the module runs as it was", "compile"},
      {"zero_gradient", "M15: one parameter's gradient is zero", "fsdp=2"},
  };
  return table;
}

}  // namespace ordercheck::ranks
