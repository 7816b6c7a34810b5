#include "native/transform/recompute.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include "native/graph/autocast.h"
#include "native/graph/saved_tensors.h"
#include "native/module/random_state.h"
#include "native/module/rank.h"
#include "native/module/recompute_scope.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Thrown by a pack hook in the second run once the last placeholder is filled: backward needs nothing of the rest of the
// region. Only an exception can leave the modules and operators between the hook and run_again() without their cooperation.
struct Filled {};

// Stands for one tensor that forward saved. Filled once per backward (autograd graph task): with retain_graph, a second
// backward runs the region again, and the two must not share values.
struct Placeholder {
  std::vector<int64_t> sizes;
  at::ScalarType dtype;
  std::map<int, std::unique_ptr<SavedTensor>> value;  // the tensor, by autograd graph task (one per backward)
};

// An autograd function that does nothing but save the region's inputs. Captured by a lambda, the inputs would bypass outer
// saved-tensor hooks, and an outer checkpoint would keep the memory that it should free.
struct SaveInputs : torch::autograd::Function<SaveInputs> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& grad_carrier, at::TensorList inputs) {
    ctx->save_for_backward(variable_list(inputs.begin(), inputs.end()));
    return at::empty({0}, grad_carrier.options());
  }
  static variable_list backward(AutogradContext*, const variable_list&) {
    TORCH_CHECK(false, "the node that keeps a region's inputs was run");
  }
};

struct Frame : std::enable_shared_from_this<Frame> {
  Region region;
  RecomputeOptions options;
  DispatchMode* second_mode = nullptr;  // owns a reference
  at::Tensor keeper;                    // output of SaveInputs, which holds the inputs
  std::vector<bool> inputs_require_grad;
  Autocast autocast;
  std::optional<RandomState> random;  // at the start of forward, for the second run; nullopt if it is not restored
  // Placeholders of all tensors that forward saved, in order. Weak: if autograd released one, the second run counts the tensor
  // but does not keep it.
  std::vector<std::weak_ptr<Placeholder>> placeholders;
  std::map<int, std::size_t> filled;  // by graph task: how many tensors its second run has saved so far
  std::set<int> complete;             // graph tasks with a finished second run

  ~Frame() {
    if (second_mode) second_mode->drop();
  }
  void run_again(int task);
  void fill(int task, const at::Tensor& tensor);
};

// Hooks of the second run: its n-th saved tensor fills the n-th placeholder of forward.
class Fill final : public torch::autograd::SavedVariableHooks {
 public:
  Fill(std::shared_ptr<Frame> frame, int task) : frame_(std::move(frame)), task_(task) {}
  void call_pack_hook(const at::Tensor& tensor) override {
    // Drop the autograd history, which would form a reference cycle.
    tensor_ = tensor.variable_data();
    frame_->fill(task_, tensor_);
  }
  at::Tensor call_unpack_hook() override { return tensor_; }

 private:
  std::shared_ptr<Frame> frame_;
  int task_;
  at::Tensor tensor_;
};

class FillHooks final : public SavedTensorHooks {
 public:
  FillHooks(std::shared_ptr<Frame> frame, int task) : frame_(std::move(frame)), task_(task) {}
  std::unique_ptr<torch::autograd::SavedVariableHooks> make() override { return std::make_unique<Fill>(frame_, task_); }

 private:
  std::shared_ptr<Frame> frame_;
  int task_;
};

// Hooks of forward: replace each saved tensor by a placeholder with its shape and dtype.
class Hold final : public torch::autograd::SavedVariableHooks {
 public:
  explicit Hold(std::shared_ptr<Frame> frame) : frame_(std::move(frame)) {}
  void call_pack_hook(const at::Tensor& tensor) override {
    placeholder_ =
        std::make_shared<Placeholder>(Placeholder{.sizes = tensor.sizes().vec(), .dtype = tensor.scalar_type(), .value = {}});
    frame_->placeholders.push_back(placeholder_);
  }
  at::Tensor call_unpack_hook() override {
    const int task = torch::autograd::get_current_graph_task_id();
    TORCH_CHECK(task != -1, "a recomputed tensor was asked for outside backward");
    if (!frame_->complete.count(task)) frame_->run_again(task);
    const auto value = placeholder_->value.find(task);
    TORCH_CHECK(value != placeholder_->value.end(), "a recomputed tensor was asked for twice in one backward");
    at::Tensor tensor = value->second->tensor();
    placeholder_->value.erase(value);  // at once, so that it is held no longer than without checkpointing
    return tensor;
  }

 private:
  std::shared_ptr<Frame> frame_;
  std::shared_ptr<Placeholder> placeholder_;
};

class HoldHooks final : public SavedTensorHooks {
 public:
  explicit HoldHooks(std::shared_ptr<Frame> frame) : frame_(std::move(frame)) {}
  std::unique_ptr<torch::autograd::SavedVariableHooks> make() override { return std::make_unique<Hold>(frame_); }

 private:
  std::shared_ptr<Frame> frame_;
};

void Frame::fill(int task, const at::Tensor& tensor) {
  const std::size_t index = filled[task]++;
  TORCH_CHECK(index < placeholders.size(), "recomputation saves more tensors than forward did: more than ",
              placeholders.size());
  if (const auto placeholder = placeholders[index].lock()) {
    TORCH_CHECK(tensor.sizes() == at::IntArrayRef(placeholder->sizes) && tensor.scalar_type() == placeholder->dtype,
                "recomputed tensor ", index, " is ", tensor.scalar_type(), " ", tensor.sizes(), ", forward saved ",
                placeholder->dtype, " ", at::IntArrayRef(placeholder->sizes));
    placeholder->value[task] = std::make_unique<SavedTensor>(tensor);
  }
  if (options.early_stop && filled[task] == placeholders.size()) throw Filled{};
}

void Frame::run_again(int task) {
  auto* node = static_cast<torch::autograd::CppNode<SaveInputs>*>(keeper.grad_fn().get());
  Tensors inputs = node->ctx_.get_saved_variables();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // Detach: the second run builds its own graph. Its backward must not continue into earlier parts of the model.
    if (inputs[i].defined()) inputs[i] = inputs[i].detach().set_requires_grad(inputs_require_grad[i]);
  }
  try {
    const RecomputeScope phase;
    const at::AutoGradMode grad(true);  // backward disables grad mode, and nothing would be saved
    const AutocastScope cast(autocast);
    const RandomScope drawing(random);
    const SavedTensorHooksScope hooks(new FillHooks(shared_from_this(), task));
    std::optional<DispatchModeScope> mode;
    if (second_mode) {
      second_mode->retain();
      mode.emplace(second_mode);
    }
    region(inputs);
  } catch (const Filled&) {
    if (RankState* rank = find_rank()) rank->forget_thrown();
  }
  TORCH_CHECK(filled[task] == placeholders.size(), "recomputation saved ", filled[task], " tensors, forward ",
              placeholders.size());
  complete.insert(task);
}

}  // namespace

at::Tensor recompute_in_backward(Region region, const Tensors& inputs, const RecomputeOptions& options) {
  auto frame = std::make_shared<Frame>();
  frame->region = std::move(region);
  frame->options = options;
  frame->autocast = autocast_now();
  if (options.preserve_random_state) frame->random = random_state_now();
  for (const at::Tensor& input : inputs) {
    frame->inputs_require_grad.push_back(input.defined() && input.requires_grad());
  }
  const at::Tensor grad_carrier = at::empty({0}).set_requires_grad(true);
  frame->keeper = SaveInputs::apply(grad_carrier, at::TensorList(inputs));
  const SavedTensorHooksScope hooks(new HoldHooks(frame));
  if (!options.modes) return frame->region(inputs);
  const auto [first, second] = options.modes();
  frame->second_mode = second;
  const DispatchModeScope mode(first);
  return frame->region(inputs);
}

}  // namespace ordercheck::ranks
