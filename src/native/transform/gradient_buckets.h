// Provides a bucketed reducer, as in DistributedDataParallel, but summing instead of averaging. It sums gradients of replicated
// parameters over a mesh axis. A bucket is sent once it is complete and all earlier buckets are sent, so all ranks send alike.
//
// Buckets fill in reverse parameter order, which is roughly the order in which gradients arrive. If a backward skips a
// parameter, its bucket is never sent, and prepare() throws, as the Reducer does. A gradient that arrives twice, from reentrant
// backwards, throws at once: its bucket may be in flight.
//
// Used by one rank; hooks run on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/autograd/function.h>

#include "native/module/parameter.h"

namespace ordercheck::ranks {

struct BucketOptions {
  std::string axis = "dp_replicate";   // mesh axis of the replicas
  std::int64_t first_bytes = 1 << 20;  // largest size of the first bucket
  std::int64_t bytes = 25 << 20;       // largest size of the other buckets; a larger parameter gets its own bucket
};

class GradientBuckets : public std::enable_shared_from_this<GradientBuckets> {
 public:
  // Keeps these parameters and hooks the gradient accumulation of those that require grad. Throws if none does, as
  // DistributedDataParallel does.
  static std::shared_ptr<GradientBuckets> bind(std::vector<ParameterPtr> parameters, const BucketOptions& options);

  // Overwrites the parameters on every rank with the values of the axis's first rank: one broadcast per bucket, then one for
  // all frozen parameters.
  void broadcast_values();

  // Call before each forward. If `synchronize` is false, the next backward only accumulates local gradients, as under
  // no_sync(). Throws if the previous backward gave gradients to some parameters but not to all.
  void prepare(bool synchronize);

 private:
  struct Member {
    ParameterPtr parameter;
    // The leaf's AccumulateGrad node, kept alive because its hook calls gradient_arrived().
    std::shared_ptr<torch::autograd::Node> accumulates;
    at::Tensor reduced;  // the leaf's gradient as all-reduced by earlier backwards of this step; undefined if none
    bool ready = false;  // its gradient arrived since prepare()
  };
  struct Bucket {
    std::vector<std::size_t> members;  // indices in members_
    std::size_t pending = 0;           // members without a gradient since prepare(); at 0 the bucket can be all-reduced
  };
  GradientBuckets() = default;
  void fill_buckets();
  void gradient_arrived(std::size_t bucket, std::size_t member);
  void overwrite(const std::vector<ParameterPtr>& parameters) const;
  void reduce(const Bucket& bucket);

  BucketOptions options_;
  std::vector<Member> members_;
  std::vector<ParameterPtr> frozen_;
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;     // index of the bucket to all-reduce next
  std::size_t arrived_ = 0;  // number of members with a gradient since prepare()
  bool synchronize_ = false;
};

}  // namespace ordercheck::ranks
