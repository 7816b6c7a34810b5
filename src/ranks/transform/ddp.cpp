// `ddp`: DistributedDataParallel over dp_replicate.
//
//   no_sync        gradients of all microbatches but a step's last stay local, as under model.no_sync()
//   device_mesh    it is told its axis of the mesh. Its reducer takes the pieces of other axes as they are, told or not
//   bucket_kib     a bucket's cap; the default is 25600, the first bucket's at most 1024, as in torch
// After torch's DistributedDataParallel: a wrapper around the model under the name "module", so that every path below
// it gains a component. Building it binds the parameters of that moment and sends the first replica's values to all;
// each forward makes the reducer ready.
#include <fmt/format.h>

#include "ranks/graph/dispatch_mode.h"
#include "ranks/mechanism/gradient_buckets.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kReplicated = "module";  // torch's name for it

class DistributedDataParallel final : public ModuleOf<DistributedDataParallel> {
 public:
  DistributedDataParallel(ModulePtr wrapped, std::shared_ptr<GradientBuckets> buckets)
      : ModuleOf("DistributedDataParallel"), buckets_(std::move(buckets)) {
    output_placements = wrapped->output_placements;
    refuses_copy = "DDP does not support deepcopy: its reducer belongs to the parameters that it was made with";
    set_child(kReplicated, std::move(wrapped));
  }
  void run_by_pipeline() override { synchronize_ = false; }
  void before_last_backward() override { buckets_->prepare(true); }
  bool is_wrapper() const override { return true; }
  void synchronize_next(bool on) { synchronize_ = on; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    break_graph("DDP makes its reducer ready before each forward");
    buckets_->prepare(synchronize_);
    return child(kReplicated)->call(inputs);
  }

 private:
  std::shared_ptr<GradientBuckets> buckets_;
  bool synchronize_ = true;
};

void apply_ddp(TrainingProgram& program, const Item& item, const Site&) {
  BucketOptions options;
  options.bytes = std::int64_t{1024} * count_option(item, "bucket_kib", 25 * 1024);
  for (ModulePtr& model : program.parts) {
    std::vector<ParameterPtr> parameters;
    for (const NamedParameter& named : parameters_of(model)) parameters.push_back(named.parameter);
    auto buckets = GradientBuckets::bind(std::move(parameters), options);
    buckets->broadcast_values();
    auto wrapper = std::make_shared<DistributedDataParallel>(model, std::move(buckets));
    model = wrapper;
    if (option_of(item, "no_sync")) program.on_microbatch.push_back([wrapper](bool last) { wrapper->synchronize_next(last); });
  }
}

}  // namespace

Transform ddp_transform() {
  return {.built = {.name = "ddp", .scopes = {"model"}, .options = {{"no_sync"}, {"bucket_kib"}, {"device_mesh"}}},
          .apply = apply_ddp,
          .broadcasts_over = "dp_replicate"};
}

}  // namespace ordercheck::ranks
