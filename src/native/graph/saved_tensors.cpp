#include "native/graph/saved_tensors.h"

#include <ATen/SavedTensorHooks.h>
#include <torch/csrc/autograd/engine.h>

namespace ordercheck::ranks {
namespace {

using torch::autograd::SavedVariableHooks;

// Default hook: keeps the tensor without its autograd history, which would form a reference cycle. LibTorch restores the
// history on unpack.
class Kept final : public SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override { saved_ = std::make_unique<SavedTensor>(tensor.variable_data()); }
  at::Tensor call_unpack_hook() override { return saved_->tensor(); }

 private:
  std::unique_ptr<SavedTensor> saved_;
};

class HookedEngine final : public torch::autograd::Engine {
 public:
  ~HookedEngine() override { stop(); }
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (const auto hooks = at::SavedTensorDefaultHooks::get_hooks()) {
      return static_cast<SavedTensorHooks*>(Held::from_object(hooks->first.ptr(&interpreter())))->make();
    }
    return find_rank() ? std::make_unique<Kept>() : nullptr;
  }
};

// Never destroyed: device threads may outlive main.
torch::autograd::Engine& hooked_engine() {
  static auto* engine = new HookedEngine;
  return *engine;
}

}  // namespace

SavedTensor::SavedTensor(at::Tensor tensor) : tensor_(std::move(tensor)) {
  RankState* rank = find_rank();
  if (!rank || rank->in_dry_run() || !tensor_.defined() || rank->parameters_held.holds(storage_key(tensor_))) return;
  rank_ = rank;
  rank_->saved_for_backward.hold(storage_key(tensor_), storage_bytes(tensor_));
}

SavedTensor::~SavedTensor() {
  if (rank_) rank_->saved_for_backward.release(storage_key(tensor_));
}

void install_saved_tensor_hooks() { torch::autograd::set_default_engine_stub(&hooked_engine); }

SavedTensorHooksScope::SavedTensorHooksScope(SavedTensorHooks* hooks) {
  at::SavedTensorDefaultHooks::lazy_initialize();
  c10::SafePyObject pack(hooks->as_object(), &interpreter());
  c10::SafePyObject unpack(pack);
  at::SavedTensorDefaultHooks::push_hooks(std::move(pack), std::move(unpack));
}

SavedTensorHooksScope::~SavedTensorHooksScope() { at::SavedTensorDefaultHooks::pop_hooks(); }

}  // namespace ordercheck::ranks
