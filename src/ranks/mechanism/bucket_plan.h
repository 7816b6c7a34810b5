// Which parameters of a model are gathered, and their gradients reduced, in one collective.
//
// After get_transformer_block_buckets of torchtitan's experiments/simple_fsdp: each block is a bucket, each module before the blocks is
// one, and what comes behind the blocks (norm and output) is one together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ranks/module/module.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

class BucketPlan {
 public:
  // No buckets.
  BucketPlan() = default;
  // Of each transformer block. The model may lack what a stage of a pipeline lacks.
  static BucketPlan of_transformer_blocks(const ModulePtr& model);
  // Left to a pass, by the name that it knows.
  static BucketPlan automatic();
  // Each module that is named, with all below it. Throws where one is not in the model or lies in another one.
  static BucketPlan of_modules(const ModulePtr& model, const std::vector<std::string>& paths);
  // As an item's options `bucket` and `bucket_modules` say. Throws where these do not go together. A stage of a pipeline may lack a
  // module that is named, since another has it.
  static BucketPlan as_item_says(const ModulePtr& model, const Item& item, bool is_stage = false);

  // The bucket of a module's own parameters, by its path with wrappers left out: "layers.1" for "layers.1.attention.wq", and not for
  // "layers.10.attention.wq". "" where it is in none.
  std::string bucket_of(const std::string& path) const;

  // Paths of the model's modules that have parameters of their own and are in no bucket.
  std::vector<std::string> left_out(const ModulePtr& model) const;

 private:
  std::map<std::string, std::string> by_module_;  // a module's path, and the bucket of all in it
  std::string of_the_rest_;
};

}  // namespace ordercheck::ranks
