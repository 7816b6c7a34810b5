// A bucketed reducer: gradients of replicated parameters are summed over a mesh axis in buckets, each as soon as its last
// gradient is there and all buckets before it were sent, so that ranks send alike. The mechanism of
// DistributedDataParallel's Reducer, summing where that averages.
//
// Buckets are filled in the reverse of the order in which parameters were handed in, which is about the order in which
// gradients come. A parameter that a backward left out leaves its bucket unsent; prepare() then throws, as the Reducer does. One
// whose gradient comes twice, from two backwards inside one, is refused at once: its bucket may be on its way.
//
// One rank; hooks run on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/autograd/function.h>

#include "ranks/module/parameter.h"

namespace ordercheck::ranks {

struct BucketOptions {
  std::string axis = "dp_replicate";
  std::int64_t first_bytes = 1 << 20;  // cap of the first bucket
  std::int64_t bytes = 25 << 20;       // cap of the others; a parameter larger than the cap has one of its own
};

class GradientBuckets : public std::enable_shared_from_this<GradientBuckets> {
 public:
  // Binds the parameters as they are now and hooks the gradients of those that are trained. Throws where none is, as
  // DistributedDataParallel does.
  static std::shared_ptr<GradientBuckets> bind(std::vector<ParameterPtr> parameters, const BucketOptions& options);

  // Overwrites every rank's values with those of the axis's first rank, bucket by bucket, then those of the frozen parameters.
  void broadcast_values();

  // Before each forward whose backward shall be summed, or, with `synchronize` off, shall only accumulate.
  void prepare(bool synchronize);

 private:
  struct Member {
    ParameterPtr parameter;
    std::shared_ptr<torch::autograd::Node> accumulates;  // its gradient, and then calls this
    at::Tensor reduced;                                  // what earlier backwards of the step were summed to
    bool ready = false;                                  // since prepare()
  };
  struct Bucket {
    std::vector<std::size_t> members;
    std::size_t pending = 0;
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
  std::size_t next_ = 0;     // the bucket to be sent next
  std::size_t arrived_ = 0;  // gradients since prepare()
  bool synchronize_ = false;
};

}  // namespace ordercheck::ranks
