// `ddp`: DistributedDataParallel over dp_replicate.
//
//   no_sync        accumulates local gradients in all but a step's last microbatch, as in model.no_sync()
//   device_mesh    as DistributedDataParallel's; no effect: parameters sharded on other axes need no special case
//   bucket_kib     largest size of a gradient bucket; the default is 25600. The first has at most 1024, as in torch
//
// After torch's DistributedDataParallel: it wraps the model as child "module", so every path below gains a component. The
// constructor binds the current parameters and broadcasts the first replica's values; each forward prepares the reducer.
#include <fmt/format.h>

#include "native/graph/dispatch_mode.h"
#include "native/transform/gradient_buckets.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kReplicated = "module";  // torch's name

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
