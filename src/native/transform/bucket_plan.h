// Plans which parameters are gathered, and their gradients reduced, in one collective.
//
// After get_transformer_block_buckets of torchtitan's experiments/simple_fsdp: each block is a bucket, each module before the
// blocks is one, and the modules after the blocks (norm and output) share one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "native/module/module.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

class BucketPlan {
 public:
  // An empty plan: each parameter is all-gathered, and its gradient reduce-scattered, in a collective of its own.
  BucketPlan() = default;
  // One bucket per transformer block. The model may be a pipeline stage that lacks modules.
  static BucketPlan of_transformer_blocks(const ModulePtr& model);
  // Puts every parameter in the bucket kAutoBucket, a placeholder that the graph pass auto_buckets replaces by real buckets.
  static BucketPlan automatic();
  // One bucket per named module, with its descendants. Throws if a module is missing or nested in another one.
  static BucketPlan of_modules(const ModulePtr& model, const std::vector<std::string>& paths);
  // Makes the plan that the stack item's options `bucket` and `bucket_modules` ask for. Throws if only one of bucket=manual and
  // bucket_modules is given. With `is_stage`, ignores names in bucket_modules that this pipeline stage lacks, because another
  // stage has that module.
  static BucketPlan as_item_says(const ModulePtr& model, const Item& item, bool is_stage = false);

  // Returns the name of the bucket that holds the own parameters of the module at `path`, given without wrappers. A bucket of
  // "layers.1" holds those of "layers.1.attention.wq", but not of "layers.10.attention.wq". Empty if no bucket does.
  std::string bucket_of(const std::string& path) const;

  // Returns the paths of modules with parameters of their own that no bucket holds; the user is warned about them.
  std::vector<std::string> left_out(const ModulePtr& model) const;

 private:
  std::map<std::string, std::string> by_module_;  // from a module's path to the bucket of all its parameters
  std::string of_the_rest_;                       // bucket of all other modules; empty if they have none
};

}  // namespace ordercheck::ranks
