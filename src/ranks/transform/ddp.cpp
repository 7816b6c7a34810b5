// After torch's DistributedDataParallel: a wrapper around the model under the name "module", so that every path below
// it gains a component. Building it binds the parameters of that moment and sends the first replica's values to all;
// each forward makes the reducer ready.
#include "ranks/transform/ddp.h"

#include <fmt/format.h>

#include "ranks/graph/graph_break.h"
#include "ranks/mechanism/gradient_buckets.h"
#include "ranks/transform/option.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kReplicated = "module";  // torch's name for it

class DistributedDataParallel final : public Module {
 public:
  DistributedDataParallel(ModulePtr wrapped, std::shared_ptr<GradientBuckets> buckets)
      : Module("DistributedDataParallel"), buckets_(std::move(buckets)) {
    output_placements = wrapped->output_placements;
    set_child(kReplicated, std::move(wrapped));
  }
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

}  // namespace

std::string cannot_ddp(const Item& item) {
  if (scope_of(item) != Scope::model) return "ddp is built for the scope model only";
  if (option_of(item, "device_mesh"))
    return "ddp:device_mesh is not built: there is no form of a parameter that DDP here could not take";
  return "";
}

void apply_ddp(Subject& subject, const Item& item, const Site& site) {
  if (site.mutant == "untouched") return;
  BucketOptions options;
  options.bytes = std::int64_t{1024} * count_option(item, "bucket_kib", 25 * 1024);
  options.mutant = site.mutant;
  std::vector<ParameterPtr> parameters;
  for (const NamedParameter& named : parameters_of(subject.model)) parameters.push_back(named.parameter);
  auto buckets = GradientBuckets::bind(std::move(parameters), options);
  if (site.mutant != "no_broadcast") buckets->broadcast_values();
  auto wrapper = std::make_shared<DistributedDataParallel>(subject.model, std::move(buckets));
  subject.model = wrapper;
  if (option_of(item, "no_sync")) {
    subject.on_microbatch.push_back([wrapper](bool last) { wrapper->synchronize_next(last); });
  }
}

}  // namespace ordercheck::ranks
