// Which parameters of a model are gathered, and their gradients reduced, in one collective.
//
// After get_transformer_block_buckets of torchtitan's experiments/simple_fsdp: each block is a bucket, each module before the blocks is
// one, and what comes behind the blocks (norm and output) is one together.
#pragma once

#include <map>
#include <string>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

class BucketPlan {
 public:
  // No buckets.
  BucketPlan() = default;
  // Of each transformer block. The model may lack what a stage of a pipeline lacks.
  static BucketPlan of_transformer_blocks(const ModulePtr& model);

  // The bucket of a module's own parameters, by its path with wrappers left out: "layers.1" for "layers.1.attention.wq", and not for
  // "layers.10.attention.wq". "" where it is in none.
  std::string bucket_of(const std::string& path) const;

 private:
  std::map<std::string, std::string> by_module_;  // a module's path, and the bucket of all in it
};

}  // namespace ordercheck::ranks
